import type { RuleSetScope, Language, Rule } from '../rules/types.ts'

/** A row of `rule_sets`. The rules are in its versions. */
export interface RuleSet {
  id: string
  /** Unique among those that are not archived. */
  key: string
  name: Record<Language, string>
  mode: 'score' | 'label'
  applies: RuleSetScope
  /** The first matching score set, by position, judges a call. */
  position: number
  origin: 'shipped' | 'own'
  createdAt: Date
  archivedAt: Date | null
}

export const RULE_SET_VERSION_STATES = ['draft', 'published', 'retired'] as const

/** A row of `rule_set_versions`: a set has at most one draft and one published version, and any number of retired ones. */
export interface RuleSetVersion {
  id: string
  ruleSetId: string
  /** From 1. */
  number: number
  state: (typeof RULE_SET_VERSION_STATES)[number]
  rules: Rule[]
  hash: string
  /** Of a draft: counts its changes, so that nobody overwrites unseen ones. */
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
