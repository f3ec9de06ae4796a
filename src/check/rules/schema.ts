import Type from 'typebox'
import { KINDS } from './values.ts'
import * as field from '../../platform/http/field.ts'

const lines = (description: string) => Type.String({ maxLength: 1000, description })

/** A text in both languages of the panel. */
export const inBothLanguages = (maxLength: number, description: string) =>
  field.object(description, { en: field.line(maxLength, 'In English.'), ru: field.line(maxLength, 'In Russian.') })

/** Phrases by language; both are searched in every call. */
const phrases = (description: string) =>
  field.object(
    `${description} Words match in all their forms; in quotation marks exactly as written; of husband/wife either counts. Slots: {name}, {number}, {day}, {question}.`,
    {
      en: Type.Optional(
        field.list(
          Type.String(),
          'At most 200 English phrases of at most 10 words, 100 with alternatives, and 1000 characters.',
        ),
      ),
      ru: Type.Optional(
        field.list(
          Type.String(),
          'At most 200 Russian phrases of at most 10 words, 100 with alternatives, and 1000 characters.',
        ),
      ),
    },
  )

const seconds = (description: string) => Type.Number({ minimum: 0, maximum: 86_400, description })
const side = (description: string) => field.oneOf(['agent', 'client', 'any'], description)

export const RuleSchema = field.titled('Rule', 'One rule of a set.', {
  key: Type.String({ minLength: 1, maxLength: 60, description: 'Permanent across versions; unique in its set.' }),
  name: inBothLanguages(200, 'The requirement.'),
  hint: Type.Optional(
    field.object('The criterion, for people and for a model.', {
      en: Type.Optional(lines('In English.')),
      ru: Type.Optional(lines('In Russian.')),
    }),
  ),
  kind: field.oneOf(KINDS, 'The kind of the rule.'),
  side: Type.Optional(side('The speaker; default any.')),
  window: Type.Optional(
    field.object('The part of the call.', {
      first: Type.Optional(seconds('The first seconds.')),
      last: Type.Optional(seconds('The last seconds.')),
    }),
  ),
  after: Type.Optional(
    field.object('The condition before it.', {
      side: Type.Optional(side('The speaker of the condition; default any.')),
      any: Type.Optional(phrases('The phrases.')),
      rule: Type.Optional(field.text('The key of another rule, instead of phrases.')),
      within: Type.Optional(seconds('The maximum number of seconds between them.')),
    }),
  ),
  any: Type.Optional(phrases('Any of these.')),
  all: Type.Optional(field.list(phrases('A group.'), 'Requires a match of each group.')),
  except: Type.Optional(phrases('Phrases that cancel a match that shares a word with them.')),
  min: Type.Optional(field.number('The minimum: times, percent, seconds or words a minute.')),
  max: Type.Optional(field.number('The maximum.')),
  weight: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'The weight in the score.' })),
  critical: Type.Optional(field.boolean('Missing it makes the score 0.')),
  na: Type.Optional(field.oneOf(['anchor'], 'anchor: not applicable where `after` was never said.')),
  mono: Type.Optional(
    field.oneOf(
      ['search', 'skip'],
      'If the speakers are unknown: search the whole text, or leave the verdict unknown.',
    ),
  ),
})

export const RULE_FIELDS = Object.keys(RuleSchema.properties) as (keyof typeof RuleSchema.properties)[]

export const RulesSchema = Type.Array(RuleSchema, {
  minItems: 1,
  maxItems: 100,
  description: 'The rules, in order: at most 10,000 phrases and 512 KB together.',
})

/** Rules in a request: `violationsOf()` validates them, so that one response lists all violations. */
export const SentRules = field.list(Type.Unknown(), 'The rules, in order: at most 10,000 phrases and 512 KB together.')

export const AppliesSchema = field.object('The calls that a rule set applies to.', {
  direction: Type.Optional(
    Type.Array(Type.Union([Type.Enum(['INBOUND', 'OUTBOUND']), Type.Null()]), {
      minItems: 1,
      maxItems: 3,
      description: 'Calls of these directions; null means calls without one. Default: all.',
    }),
  ),
  departmentIds: Type.Optional(
    Type.Array(Type.String({ format: 'uuid' }), {
      maxItems: 100,
      description: 'Calls of these departments. Default, and if empty: all.',
    }),
  ),
  minDurationSeconds: Type.Optional(seconds('Calls of at least this length.')),
  minWords: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: 'Calls with at least this many words.' }),
  ),
})

export const KeySchema = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[a-z0-9][a-z0-9-]*$',
  description: 'Lower-case letters, digits and hyphens; unique among the sets that are not archived.',
})

export const ModeSchema = field.oneOf(
  ['score', 'label'],
  'score: points; the first set that fits a call judges it. label: each rule that is met is a label.',
)

export const RuleSetBodySchema = field.object({
  key: KeySchema,
  name: inBothLanguages(200, 'Its name.'),
  mode: ModeSchema,
  applies: Type.Optional(AppliesSchema),
  rules: RulesSchema,
})
