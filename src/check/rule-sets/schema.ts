import { VERSION_STATES } from './entity.ts'
import type { Static } from 'typebox'
import { personOrNull } from '../schemas.ts'
import { AppliesSchema, inBothLanguages, ModeSchema, RulesSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'

const number = field.integer('Its number, from 1.')
const note = field.textOrNull('The author’s note.')
const revision = field.integer('The revision of the draft: send it with the next change.')

const summary = {
  id: field.id('The rule set.'),
  key: field.text('The key of the rule set.'),
  name: inBothLanguages(200, 'The name of the rule set.'),
  mode: ModeSchema,
  applies: AppliesSchema,
  position: field.integer(
    'The first matching score set judges a call: sets of departments come before those for all calls.',
  ),
  origin: field.oneOf(['shipped', 'own'], 'shipped: it came with the service; own: somebody made it.'),
  version: field.integerOrNull('The number of the published version; null if there is none.'),
  publishedAt: field.timeOrNull('When it was published.'),
  hasDraft: field.boolean('Whether there is a draft; for people who can edit the set.'),
  mayEdit: field.boolean('Whether you can change it.'),
  createdAt: field.time('When it was created.'),
  archivedAt: field.timeOrNull('When it was archived; null if it is in use.'),
}

export const RuleSetSummarySchema = field.titled('RuleSetSummary', 'A rule set without its rules.', summary)

const DraftSchema = field.titled('RuleSetDraft', 'The draft of a rule set.', {
  version: number,
  revision,
  rules: RulesSchema,
  note,
  author: personOrNull('The last author; null if it came with the service.'),
  changedAt: field.time('When it was last changed.'),
})

export const RuleSetSchema = field.titled('RuleSet', 'A rule set.', {
  ...summary,
  rules: field.nullable(RulesSchema, 'The rules of the published version; null if there is none.'),
  draft: field.nullable(DraftSchema, 'The draft, for people who can edit the set.'),
})
export type RuleSetJson = Static<typeof RuleSetSchema>
export type RuleSetSummaryJson = Static<typeof RuleSetSummarySchema>

const versionSummary = {
  version: number,
  state: field.oneOf(VERSION_STATES, 'draft, published, or retired: published before, or set aside.'),
  hash: field.text('The SHA-256 of the rules.'),
  note,
  author: personOrNull('The author; null if it came with the service.'),
  publisher: personOrNull('The publisher; null if there is none.'),
  createdAt: field.time('When it was created.'),
  publishedAt: field.timeOrNull('When it was published.'),
  retiredAt: field.timeOrNull('When another version replaced it.'),
}

export const VersionSummarySchema = field.titled(
  'RuleSetVersionSummary',
  'A version of a rule set without its rules.',
  versionSummary,
)
export type VersionSummaryJson = Static<typeof VersionSummarySchema>

export const VersionSchema = field.titled('RuleSetVersion', 'A version of a rule set.', {
  ...versionSummary,
  rules: RulesSchema,
})
export type VersionJson = Static<typeof VersionSchema>

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
export const exampleSummary: RuleSetSummaryJson = {
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
export const example: RuleSetJson = { ...exampleSummary, rules: exampleRules, draft: null }
const olga = { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Olga' }
export const exampleDraft: RuleSetJson = {
  ...example,
  hasDraft: true,
  draft: {
    version: 2,
    revision: 3,
    rules: exampleRules,
    note: null,
    author: olga,
    changedAt: '2026-03-02T07:00:00.000Z',
  },
}
export const exampleVersionSummary: VersionSummaryJson = {
  version: 1,
  state: 'published',
  hash: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
  note: 'Greetings of the new script',
  author: olga,
  publisher: olga,
  createdAt: '2026-03-01T07:00:00.000Z',
  publishedAt: '2026-03-01T07:00:00.000Z',
  retiredAt: null,
}
