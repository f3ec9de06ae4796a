import type { ActingPerson } from '../../platform/http/actor.ts'
import type { Rule } from '../rules/types.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { canEditRuleSet } from './policy.ts'
import type { RuleSetJson, RuleSetSummaryJson, RuleSetVersionJson, RuleSetVersionSummaryJson } from './schema.ts'

/** A rule set with its published version and its draft, as selected by RULE_SET_COLUMNS_SQL. */
export interface RuleSetRow extends RuleSet {
  published: { number: number; publishedAt: string | null; rules: Rule[] } | null
  draft:
    | (Pick<RuleSetVersion, 'number' | 'revision' | 'rules' | 'note' | 'authorId' | 'authorName'> & {
        changedAt: string
      })
    | null
}

const versionJsonSql = (state: string, columns: string) =>
  `(SELECT json_build_object(${columns}) FROM rule_set_versions v WHERE v.rule_set_id = s.id AND v.state = '${state}')`

/** ORDER BY of rule_sets s in the order of use: rule sets limited to departments come first. */
export const RULE_SET_ORDER_SQL = `jsonb_array_length(coalesce(s.applies -> 'departmentIds', '[]')) = 0, s.position, s.key, s.id`

export const RULE_SET_COLUMNS_SQL = `
  s.id, s.key, s.name, s.mode, s.applies, s.position, s.origin, s.created_at AS "createdAt", s.archived_at AS "archivedAt",
  ${versionJsonSql('published', `'number', v.number, 'publishedAt', v.published_at, 'rules', v.rules`)} AS published,
  ${versionJsonSql(
    'draft',
    `'number', v.number, 'revision', v.revision, 'rules', v.rules, 'note', v.note, 'authorId', v.author_id,
     'authorName', v.author_name, 'changedAt', v.changed_at`,
  )} AS draft`

/** Formats a rule set for lists, without its rules. Only people who can edit it see that it has a draft. */
export function presentRuleSetSummary(me: ActingPerson, { published, draft, ...set }: RuleSetRow): RuleSetSummaryJson {
  const canEdit = canEditRuleSet(me, set.applies)
  return {
    ...set,
    version: published?.number ?? null,
    publishedAt: published && formatTime(published.publishedAt),
    hasDraft: canEdit && draft !== null,
    mayEdit: canEdit,
    createdAt: set.createdAt.toISOString(),
    archivedAt: formatTime(set.archivedAt),
  }
}

/** Formats a rule set with its published rules. Only people who can edit it see the draft. */
export function presentRuleSet(me: ActingPerson, row: RuleSetRow): RuleSetJson {
  const summary = presentRuleSetSummary(me, row)
  return {
    ...summary,
    rules: row.published && row.published.rules,
    draft: summary.mayEdit && row.draft ? presentDraft(row.draft) : null,
  }
}

const presentDraft = (draft: NonNullable<RuleSetRow['draft']>): NonNullable<RuleSetJson['draft']> => ({
  version: draft.number,
  revision: draft.revision,
  rules: draft.rules,
  note: draft.note,
  author: presentPerson(draft.authorId, draft.authorName),
  changedAt: formatTime(draft.changedAt)!,
})

/** Formats a version for lists of the API, without its rules. */
export const presentRuleSetVersionSummary = (row: RuleSetVersion): RuleSetVersionSummaryJson => ({
  version: row.number,
  state: row.state,
  hash: row.hash,
  note: row.note,
  author: presentPerson(row.authorId, row.authorName),
  publisher: presentPerson(row.publisherId, row.publisherName),
  createdAt: row.createdAt.toISOString(),
  publishedAt: formatTime(row.publishedAt),
  retiredAt: formatTime(row.retiredAt),
})

/** Formats a version for the API, with its rules. */
export const presentRuleSetVersion = (row: RuleSetVersion): RuleSetVersionJson => ({
  ...presentRuleSetVersionSummary(row),
  rules: row.rules,
})

const presentPerson = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' })

/** Accepts strings too, because times inside JSON of Postgres have another format. */
const formatTime = (time: Date | string | null): string | null => (time === null ? null : new Date(time).toISOString())
