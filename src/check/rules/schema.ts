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
    `${description} Words match in all their forms; words in quotation marks match as written; husband/wife matches either word. Slots: {name}, {number}, {day}, {question}.`,
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

export const RuleSchema = field.namedObject('Rule', 'A rule of a set.', {
  key: Type.String({
    minLength: 1,
    maxLength: 60,
    description:
      'The key of the rule: lower-case letters, digits and hyphens. It stays the same across versions and is unique ' +
      'in its set.',
  }),
  name: bilingualTextSchema(200, 'The requirement.'),
  hint: Type.Optional(
    field.object('The criterion, for people and for a model.', {
      en: Type.Optional(hintText('In English.')),
      ru: Type.Optional(hintText('In Russian.')),
    }),
  ),
  kind: field.oneOf(RULE_KIND_NAMES, 'The kind of the rule.'),
  side: Type.Optional(
    sideSchema('The speaker whose words the rule searches or measures. Default: any; for talkShare, the agent.'),
  ),
  window: Type.Optional(
    field.object(
      'The part of the call that the rule searches: either its first or its last seconds, not counting the time ' +
        'before the first word. Default: the whole call.',
      {
        first: Type.Optional(secondsSchema('The number of seconds at the beginning.')),
        last: Type.Optional(secondsSchema('The number of seconds at the end.')),
      },
    ),
  ),
  after: Type.Optional(
    field.object(
      'The condition: the rule searches only after it. For the kind order, only `within` applies, between steps.',
      {
        side: Type.Optional(
          sideSchema('The speaker of the condition. Default: the client if the rule is about the agent, else any.'),
        ),
        any: Type.Optional(phrasesSchema('The phrases of the condition.')),
        rule: Type.Optional(field.text('The key of another rule whose matches are the condition, instead of phrases.')),
        within: Type.Optional(
          secondsSchema('The maximum number of seconds between the condition and the match. Default: no limit.'),
        ),
      },
    ),
  ),
  any: Type.Optional(phrasesSchema('The rule searches for any of these phrases.')),
  all: Type.Optional(
    field.list(
      phrasesSchema('A group of phrases.'),
      'Groups of phrases. Each group must match; for the kind order, in this order.',
    ),
  ),
  except: Type.Optional(phrasesSchema('Phrases that cancel a match that shares a word with them.')),
  min: Type.Optional(
    field.number('The minimum: occurrences, percent, seconds or words per minute, depending on the kind.'),
  ),
  max: Type.Optional(field.number('The maximum, in the same unit.')),
  weight: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The points of the rule: its weight in the score. Required in score sets.',
    }),
  ),
  critical: Type.Optional(field.boolean('Whether missing the rule makes the score 0. Default: false.')),
  na: Type.Optional(
    field.oneOf(['anchor'], 'anchor: not applicable if the condition `after` does not occur. Default: missed.'),
  ),
  mono: Type.Optional(
    field.oneOf(
      ['search', 'skip'],
      'For rules about one side, if the speakers of the call are not separated. search: search the whole text. ' +
        'skip: leave the verdict unknown. Default: skip for notSaid and reply, else search.',
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
      description: 'Calls with these directions; null means calls without one. Default: all.',
    }),
  ),
  departmentIds: Type.Optional(
    Type.Array(Type.String({ format: 'uuid' }), {
      maxItems: 100,
      description: 'Calls of managers in these departments. Default, and if empty: all.',
    }),
  ),
  minDurationSeconds: Type.Optional(secondsSchema('Calls with at least this length in seconds.')),
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
  'score: the set gives points; the first score set that fits a call judges it. label: each rule that is met ' +
    'gives the call a label.',
)

export const RuleSetBodySchema = field.object({
  key: RuleSetKeySchema,
  name: bilingualTextSchema(200, 'Its name.'),
  mode: RuleSetModeSchema,
  applies: Type.Optional(RuleSetScopeSchema),
  rules: RulesSchema,
})
