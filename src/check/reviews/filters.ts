import Type from 'typebox'
import { managerFilterCondition, departmentFilter, managerNameFilter } from '../../calls/list/filters/managers.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { Actor } from '../../platform/http/actor.ts'
import * as field from '../../platform/http/field.ts'
import { toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { parseDayOrTime, parsePeriodEnd } from '../../platform/lib/time.ts'
import { REVIEW_REASONS, type ReviewReason } from '../checks/values.ts'

export interface PendingReviewFilters {
  decided?: boolean
  finding?: string
  reason?: ReviewReason[]
  ruleSet?: string
  rule?: string
  manager?: string
  department?: string
  from?: string
  to?: string
}

/** Query properties of the list of verdicts that wait for a review, and of their counts. */
export const pendingReviewFilterProperties = {
  reason: Type.Optional(
    field.list(Type.Enum([...REVIEW_REASONS]), 'Only verdicts that wait for these reasons, comma separated.'),
  ),
  ruleSet: Type.Optional(field.id('Only verdicts of this rule set.')),
  rule: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^/:]{1,80}/[^/:]{1,80}$',
      description: 'Only verdicts on this rule, by the keys of rule set and rule: incoming-sales/next-step.',
    }),
  ),
  manager: managerNameFilter.schema,
  department: departmentFilter.schema,
  from: Type.Optional(field.dayOrLocalTime('Only calls that began at this time or later.')),
  to: Type.Optional(field.dayOrLocalTime('Only calls that began before this time, or until the end of this day.')),
}

/** Query properties of the list. */
export const reviewListProperties = {
  ...pendingReviewFilterProperties,
  decided: Type.Optional(
    field.boolean('true lists the verdicts that people have decided, the newest decision first. Default: false.'),
  ),
  finding: Type.Optional(field.id('Only this finding.')),
  searched: Type.Optional(
    field.boolean('true adds all lines of the searched part to the lines of `context`. Default: false.'),
  ),
}

/** FROM clause of findings f in current checks a, with their call r, version v and rule set s. */
export const PENDING_FINDINGS_FROM_SQL = `
  findings f JOIN analyses a ON a.id = f.analysis_id AND a.is_current JOIN recordings r ON r.id = a.recording_id
             JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id`

/** Selects decided findings. The reviews limit the search to the few calls that people have reviewed. */
const DECIDED_SQL = `f.decided_by = 'person' AND f.waits IS NULL AND r.id IN (SELECT recording_id FROM reviews)`

export function pendingFindingConditions(
  actor: Actor,
  { decided = false, finding, reason, ruleSet, rule, from, to, ...callFilters }: PendingReviewFilters,
  timeZone: string,
): SqlConditions {
  const [setKey, ruleKey] = rule?.split('/') ?? []
  return [
    { sql: decided ? DECIDED_SQL : 'f.waits IS NOT NULL', values: [] },
    ...visibleRecordingsCondition(actor),
    ...managerFilterCondition(callFilters),
    ...toConditions(
      ['f.id = ?::uuid', finding],
      ['f.waits = ANY(?::text[])', reason],
      ['v.rule_set_id = ?::uuid', ruleSet],
      ['s.key = ?', setKey],
      ['f.rule_key = ?', ruleKey],
      ['coalesce(r.call_started_at, r.created_at) >= ?::timestamptz', from && parseDayOrTime(from, timeZone)],
      ['coalesce(r.call_started_at, r.created_at) < ?::timestamptz', to && parsePeriodEnd(to, timeZone)],
    ),
  ]
}
