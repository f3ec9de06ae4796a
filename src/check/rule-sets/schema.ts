import { RULE_SET_VERSION_STATES } from './entity.ts'
import type { Static } from 'typebox'
import { nullablePersonSchema } from '../schemas.ts'
import { RuleSetScopeSchema, bilingualTextSchema, RuleSetModeSchema, RulesSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'

const versionNumberSchema = field.integer('The number of the version, from 1.')
const noteSchema = field.textOrNull('The author’s note; null without one.')
const revisionSchema = field.integer('The revision of the draft. Send it with the next change.')

const summaryProperties = {
  id: field.id('The rule set.'),
  key: field.text('The key of the rule set.'),
  name: bilingualTextSchema(200, 'The name of the rule set.'),
  mode: RuleSetModeSchema,
  applies: RuleSetScopeSchema,
  position: field.integer(
    'The position among the sets; lower positions come first. Sets of departments come before sets for all calls. ' +
      'The first matching score set judges a call.',
  ),
  origin: field.oneOf(['shipped', 'own'], 'shipped: the set came with the service. own: a person created it.'),
  version: field.integerOrNull('The number of the published version; null if there is none.'),
  publishedAt: field.timeOrNull('When the version was published; null if it was not.'),
  hasDraft: field.boolean('Whether there is a draft. Always false for people who cannot edit the set.'),
  mayEdit: field.boolean('Whether you can change the set.'),
  createdAt: field.time('When the set was created.'),
  archivedAt: field.timeOrNull('When the set was archived; null if it is in use.'),
}

export const RuleSetSummarySchema = field.namedObject(
  'RuleSetSummary',
  'A rule set without its rules.',
  summaryProperties,
)

const DraftSchema = field.namedObject('RuleSetDraft', 'The draft of a rule set.', {
  version: versionNumberSchema,
  revision: revisionSchema,
  rules: RulesSchema,
  note: noteSchema,
  author: nullablePersonSchema('The last author; null if the draft came with the service.'),
  changedAt: field.time('When the draft was last changed.'),
})

export const RuleSetSchema = field.namedObject('RuleSet', 'A rule set.', {
  ...summaryProperties,
  rules: field.nullable(RulesSchema, 'The rules of the published version; null if there is none.'),
  draft: field.nullable(DraftSchema, 'The draft; null if there is none, or if you cannot edit the set.'),
})
export type RuleSetJson = Static<typeof RuleSetSchema>
export type RuleSetSummaryJson = Static<typeof RuleSetSummarySchema>

const versionSummaryProperties = {
  version: versionNumberSchema,
  state: field.oneOf(
    RULE_SET_VERSION_STATES,
    'draft; published: in use; retired: replaced by another version, or stored by an update while a draft ' +
      'existed.',
  ),
  hash: field.text('The SHA-256 of the rules, in hexadecimal.'),
  note: noteSchema,
  author: nullablePersonSchema('The author; null if the version came with the service.'),
  publisher: nullablePersonSchema('The publisher; null if there is none.'),
  createdAt: field.time('When the version was created.'),
  publishedAt: field.timeOrNull('When the version was published; null if it was not.'),
  retiredAt: field.timeOrNull('When another version replaced this one; null if none did.'),
}

export const RuleSetVersionSummarySchema = field.namedObject(
  'RuleSetVersionSummary',
  'A version of a rule set without its rules.',
  versionSummaryProperties,
)
export type RuleSetVersionSummaryJson = Static<typeof RuleSetVersionSummarySchema>

export const RuleSetVersionSchema = field.namedObject('RuleSetVersion', 'A version of a rule set.', {
  ...versionSummaryProperties,
  rules: RulesSchema,
})
export type RuleSetVersionJson = Static<typeof RuleSetVersionSchema>

export const exampleRules = [
  {
    key: 'greeting',
    name: { en: 'Greets the client', ru: 'Поздоровался' },
    kind: 'said' as const,
    side: 'agent' as const,
    window: { first: 20 },
    any: { ru: ['здравствуйте', 'добрый день'], en: ['hello', 'good morning'] },
    weight: 5,
    mono: 'search' as const,
  },
]
export const exampleRuleSetSummary: RuleSetSummaryJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  key: 'incoming-sales',
  name: { en: 'Incoming sales call', ru: 'Входящая продажа' },
  mode: 'score',
  applies: { direction: ['INBOUND', null], minDurationSeconds: 30, minWords: 40 },
  position: 1,
  origin: 'shipped',
  version: 1,
  publishedAt: '2026-03-01T07:00:00.000Z',
  hasDraft: false,
  mayEdit: true,
  createdAt: '2026-03-01T07:00:00.000Z',
  archivedAt: null,
}
export const exampleRuleSet: RuleSetJson = { ...exampleRuleSetSummary, rules: exampleRules, draft: null }
const examplePerson = { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Olga' }
export const exampleRuleSetWithDraft: RuleSetJson = {
  ...exampleRuleSet,
  hasDraft: true,
  draft: {
    version: 2,
    revision: 3,
    rules: exampleRules,
    note: null,
    author: examplePerson,
    changedAt: '2026-03-02T07:00:00.000Z',
  },
}
export const exampleRuleSetVersionSummary: RuleSetVersionSummaryJson = {
  version: 1,
  state: 'published',
  hash: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
  note: 'Greetings of the new script',
  author: examplePerson,
  publisher: examplePerson,
  createdAt: '2026-03-01T07:00:00.000Z',
  publishedAt: '2026-03-01T07:00:00.000Z',
  retiredAt: null,
}
