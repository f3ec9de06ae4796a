import { toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'

/** The columns with range filters. The keys are kinds of the table recording_counts, and `width` is the size of their buckets. */
export const RECORDING_RANGE_COLUMNS = {
  call: { column: 'r.call_at', type: 'timestamptz', width: 86_400_000 },
  creation: { column: 'r.created_at', type: 'timestamptz', width: 86_400_000 },
  duration: { column: 'r.duration_seconds', type: 'double precision', width: 1 },
  score: { column: 'r.score', type: 'real', width: 1 },
} as const
/** The key of a range column. It is also a kind of counter. */
export type RecordingRangeName = keyof typeof RECORDING_RANGE_COLUMNS

/** A range of a column. Times are milliseconds since 1970. `from` is inclusive; `to` is inclusive only if `closed` is true. */
export interface RecordingColumnRange {
  name: RecordingRangeName
  from?: number
  to?: number
  closed: boolean
}

/**
 * The filtered recordings that an actor can see. `flags` are conditions on status, source and direction. `manager` has those on
 * the manager, with the permissions of the actor, and `others` those on anything else. `found` has the ids that a search found
 * among these recordings.
 */
export interface RecordingSelection {
  flags: SqlConditions
  manager: SqlConditions
  ranges: RecordingColumnRange[]
  others: SqlConditions
  found?: string[]
}

/** Returns the conditions of a range on its column of recordings r. */
export function recordingRangeCondition({ name, from, to, closed }: RecordingColumnRange): SqlConditions {
  const { column, type } = RECORDING_RANGE_COLUMNS[name]
  const value = (bound?: number) => (bound === undefined || type !== 'timestamptz' ? bound : new Date(bound))
  return toConditions(
    [`${column} >= ?::${type}`, value(from)],
    [`${column} ${closed ? '<=' : '<'} ?::${type}`, value(to)],
  )
}

/** Returns all conditions of a selection on the table recordings r. The ids of a search replace all other conditions. */
export function recordingSelectionCondition({
  flags,
  manager,
  ranges,
  others,
  found,
}: RecordingSelection): SqlConditions {
  if (found) return toConditions(['r.id = ANY(?::uuid[])', found])
  const callDaysConditions = ranges.filter(({ name }) => name === 'creation').flatMap(callDayConditionByCreationTime)
  return [...flags, ...manager, ...ranges.flatMap(recordingRangeCondition), ...callDaysConditions, ...others]
}

const CALL_DAYS_SQL = `
  (SELECT bucket AS call, CASE kind WHEN 'days' THEN name::integer END AS creation FROM recording_counts WHERE kind = 'days'
   UNION ALL SELECT call, creation FROM recording_count_changes) AS days`

/**
 * Returns conditions on the call time that follow from a range of creation times, so that a list does not scan from its newest
 * call. `from` and `to` are milliseconds since 1970.
 */
export function callDayConditionByCreationTime({ from, to }: { from?: number; to?: number }): SqlConditions {
  const day = (time?: number) => time && Math.floor(time / RECORDING_RANGE_COLUMNS.creation.width)
  const creationConditions = toConditions(['creation >= ?', day(from)], ['creation <= ?', day(to)])
  const days = `${CALL_DAYS_SQL} WHERE ${creationConditions.map(({ sql }) => sql).join(' AND ')}`
  const values = creationConditions.flatMap((condition) => condition.values)
  return [
    { sql: `r.call_at >= (SELECT to_timestamp(min(call) * 86400::bigint) FROM ${days})`, values },
    { sql: `r.call_at < (SELECT to_timestamp((max(call) + 1) * 86400::bigint) FROM ${days})`, values },
  ]
}

/** Returns the ASCII digits of a text, such as those of a phone number. */
export const extractDigits = (text: string): string => text.replace(/[^0-9]/g, '')
