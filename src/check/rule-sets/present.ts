import type { ActingPerson } from '../../platform/http/actor.ts'
import type { Rule } from '../rules/types.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { mayEdit } from './policy.ts'
import type { DraftJson, RuleSetJson, RuleSetSummaryJson, VersionJson, VersionSummaryJson } from './schema.ts'

/** A row of SELECT_SET: a set with its published version and its draft. */
export interface SetRow extends Omit<RuleSet, 'shippedHash'> {
  published: { number: number; publishedAt: Date | null; rules: Rule[] } | null
  draft: Pick<RuleSetVersion, 'number' | 'revision' | 'rules' | 'note' | 'authorId' | 'authorName' | 'changedAt'> | null
}

const AS_JSON = (columns: string, state: string) =>
  `(SELECT json_build_object(${columns}) FROM rule_set_versions v WHERE v.rule_set_id = s.id AND v.state = '${state}')`

/** The order in which sets s are asked: those of departments before those for all calls, which else would judge theirs. */
export const ORDER_OF_SETS = `jsonb_array_length(coalesce(s.applies -> 'departmentIds', '[]')) = 0, s.position, s.key, s.id`

export const SELECT_SET = `
  SELECT s.id, s.key, s.name, s.mode, s.applies, s.position, s.origin, s.created_at AS "createdAt",
         s.archived_at AS "archivedAt",
         ${AS_JSON(`'number', v.number, 'publishedAt', v.published_at, 'rules', v.rules`, 'published')} AS published,
         ${AS_JSON(
           `'number', v.number, 'revision', v.revision, 'rules', v.rules, 'note', v.note,
            'authorId', v.author_id, 'authorName', v.author_name, 'changedAt', v.changed_at`,
           'draft',
         )} AS draft
    FROM rule_sets s`

/** A set without its rules; the draft is told of to those who may edit. */
export function presentSummary(me: ActingPerson, row: SetRow): RuleSetSummaryJson {
  const edits = mayEdit(me, row.applies)
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    mode: row.mode,
    applies: row.applies,
    position: row.position,
    origin: row.origin,
    version: row.published?.number ?? null,
    publishedAt: row.published && asTime(row.published.publishedAt),
    hasDraft: edits && row.draft !== null,
    mayEdit: edits,
    createdAt: row.createdAt.toISOString(),
    archivedAt: row.archivedAt && row.archivedAt.toISOString(),
  }
}

/** A set with its rules. */
export function presentSet(me: ActingPerson, row: SetRow): RuleSetJson {
  const summary = presentSummary(me, row)
  return {
    ...summary,
    rules: row.published && row.published.rules,
    draft: summary.mayEdit && row.draft ? presentDraft(row.draft) : null,
  }
}

const presentDraft = (draft: NonNullable<SetRow['draft']>): DraftJson => ({
  version: draft.number,
  revision: draft.revision,
  rules: draft.rules,
  note: draft.note,
  author: personOfNote(draft.authorId, draft.authorName),
  changedAt: asTime(draft.changedAt)!,
})

export function presentVersionSummary(row: Omit<RuleSetVersion, 'rules'>): VersionSummaryJson {
  return {
    version: row.number,
    state: row.state,
    hash: row.hash,
    note: row.note,
    author: personOfNote(row.authorId, row.authorName),
    publisher: personOfNote(row.publisherId, row.publisherName),
    createdAt: row.createdAt.toISOString(),
    publishedAt: asTime(row.publishedAt),
    retiredAt: asTime(row.retiredAt),
  }
}

/** A version with its rules. */
export const presentVersion = (row: RuleSetVersion): VersionJson => ({
  ...presentVersionSummary(row),
  rules: row.rules,
})

const personOfNote = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' })

/** Within JSON of Postgres a time is text. */
const asTime = (time: Date | string | null): string | null => (time === null ? null : new Date(time).toISOString())
