import Type from 'typebox'
import { RULE_KIND_NAMES } from './values.ts'
import * as field from '../../platform/http/field.ts'

const hintText = (description: string) => Type.String({ maxLength: 1000, description })

/**
 * The schema of a text in both languages of the panel.
 * @param maxLength in characters
 */
export const bilingualTextSchema = (maxLength: number, description: string) =>
  field.object(description, {
    en: field.singleLine(maxLength, 'In English.'),
    ru: field.singleLine(maxLength, 'In Russian.'),
  })

/** Phrases of both languages are searched in every call. */
const phrasesSchema = (description: string) =>
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

const secondsSchema = (description: string) => Type.Number({ minimum: 0, maximum: 86_400, description })
const sideSchema = (description: string) => field.oneOf(['agent', 'client', 'any'], description)

export const RuleSchema = field.namedObject('Rule', 'One rule of a set.', {
  key: Type.String({ minLength: 1, maxLength: 60, description: 'Permanent across versions; unique in its set.' }),
  name: bilingualTextSchema(200, 'The requirement.'),
  hint: Type.Optional(
    field.object('The criterion, for people and for a model.', {
      en: Type.Optional(hintText('In English.')),
      ru: Type.Optional(hintText('In Russian.')),
    }),
  ),
  kind: field.oneOf(RULE_KIND_NAMES, 'The kind of the rule.'),
  side: Type.Optional(sideSchema('The speaker; default any.')),
  window: Type.Optional(
    field.object('The part of the call.', {
      first: Type.Optional(secondsSchema('The first seconds.')),
      last: Type.Optional(secondsSchema('The last seconds.')),
    }),
  ),
  after: Type.Optional(
    field.object('The condition before it.', {
      side: Type.Optional(sideSchema('The speaker of the condition; default any.')),
      any: Type.Optional(phrasesSchema('The phrases.')),
      rule: Type.Optional(field.text('The key of another rule, instead of phrases.')),
      within: Type.Optional(secondsSchema('The maximum number of seconds between them.')),
    }),
  ),
  any: Type.Optional(phrasesSchema('Any of these.')),
  all: Type.Optional(field.list(phrasesSchema('A group.'), 'Requires a match of each group.')),
  except: Type.Optional(phrasesSchema('Phrases that cancel a match that shares a word with them.')),
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

export const RULE_FIELD_NAMES = Object.keys(RuleSchema.properties) as (keyof typeof RuleSchema.properties)[]

export const RulesSchema = Type.Array(RuleSchema, {
  minItems: 1,
  maxItems: 100,
  description: 'The rules, in order: at most 10,000 phrases and 512 KB together.',
})

/** Rules in a request. `collectRuleSetViolations()` validates them, so that one response lists all violations. */
export const UnvalidatedRulesSchema = field.list(
  Type.Unknown(),
  'The rules, in order: at most 10,000 phrases and 512 KB together.',
)

export const RuleSetScopeSchema = field.object('The calls that a rule set applies to.', {
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
  minDurationSeconds: Type.Optional(secondsSchema('Calls of at least this length.')),
  minWords: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: 'Calls with at least this many words.' }),
  ),
})

export const RuleSetKeySchema = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[a-z0-9][a-z0-9-]*$',
  description: 'Lower-case letters, digits and hyphens; unique among the sets that are not archived.',
})

export const RuleSetModeSchema = field.oneOf(
  ['score', 'label'],
  'score: points; the first set that fits a call judges it. label: each rule that is met is a label.',
)

export const RuleSetBodySchema = field.object({
  key: RuleSetKeySchema,
  name: bilingualTextSchema(200, 'Its name.'),
  mode: RuleSetModeSchema,
  applies: Type.Optional(RuleSetScopeSchema),
  rules: RulesSchema,
})
