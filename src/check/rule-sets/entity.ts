import type { RuleSetScope, PhraseLanguage, Rule } from '../rules/types.ts'

/** A row of `rule_sets`. The rules are in the rows of its versions. */
export interface RuleSet {
  id: string
  /** The key is unique among the rule sets that are not archived. */
  key: string
  name: Record<PhraseLanguage, string>
  mode: 'score' | 'label'
  applies: RuleSetScope
  /** Orders the sets for departments, and after them the sets for all calls. The first applicable score set judges a call. */
  position: number
  origin: 'shipped' | 'own'
  createdAt: Date
  archivedAt: Date | null
}

export const RULE_SET_VERSION_STATES = ['draft', 'published', 'retired'] as const

/** A row of `rule_set_versions`. A rule set has at most one draft, one published version, and any number of retired ones. */
export interface RuleSetVersion {
  id: string
  ruleSetId: string
  /** Counts the versions of a rule set from 1. */
  number: number
  state: (typeof RULE_SET_VERSION_STATES)[number]
  rules: Rule[]
  hash: string
  /** Counts the changes of a draft, so that a client cannot overwrite a change that it has not seen. */
  revision: number
  note: string | null
  authorId: string | null
  authorName: string | null
  publisherId: string | null
  publisherName: string | null
  createdAt: Date
  changedAt: Date
  publishedAt: Date | null
  retiredAt: Date | null
}
