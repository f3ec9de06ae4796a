import { where, type Where } from '../../platform/lib/where.ts'

/** Columns that are filtered by a range, with the kind of recording_counts that counts them and its bucket's width. */
export const RANGES = {
  call: { column: 'r.call_at', type: 'timestamptz', width: 86_400_000 },
  creation: { column: 'r.created_at', type: 'timestamptz', width: 86_400_000 },
  duration: { column: 'r.duration_seconds', type: 'double precision', width: 1 },
  score: { column: 'r.score', type: 'real', width: 1 },
} as const
export type RangeName = keyof typeof RANGES

/** A range of a column, times in milliseconds since 1970. The upper bound belongs to it only where `closed`. */
export interface Range {
  name: RangeName
  from?: number
  to?: number
  closed: boolean
}

/**
 * Which recordings are meant: what the filters say, of what the actor may see. `flags` speak only of status, source
 * and direction, `manager` only of the manager, `others` of any column; `found` holds the ids that a search found
 * among all of these.
 */
export interface Selection {
  flags: Where
  manager: Where
  ranges: Range[]
  others: Where
  found?: string[]
}

/** The call of an id, which is unique. */
export const BY_CALL_ID = 'r.external_call_id = ?'

/** Whether it holds all recordings. */
export const isWhole = ({ flags, manager, ranges, others, found }: Selection): boolean =>
  flags.length + manager.length + ranges.length + others.length === 0 && !found

/** A range as conditions on its column. */
export function rangeWhere({ name, from, to, closed }: Range): Where {
  const { column, type } = RANGES[name]
  const value = (bound?: number) => (bound === undefined || type !== 'timestamptz' ? bound : new Date(bound))
  return where([`${column} >= ?::${type}`, value(from)], [`${column} ${closed ? '<=' : '<'} ?::${type}`, value(to)])
}

/** The whole selection as conditions on the table recordings r. */
export function rowsOf({ flags, manager, ranges, others, found }: Selection): Where {
  if (found) return where(['r.id = ANY(?::uuid[])', found])
  return [...flags, ...manager, ...ranges.flatMap(rangeWhere), ...ranges.flatMap(nearCreation), ...others]
}

/**
 * Between which days the calls of a range of creations lie, by the counters. It follows from the range, but only
 * so can a list in the order of the calls begin near them and not at the newest call.
 */
function nearCreation({ name, from, to }: Range): Where {
  if (name !== 'creation') return []
  const day = (bound: number) => Math.floor(bound / RANGES.creation.width)
  const bound = (end: 'min' | 'max') => {
    const within = where(['creation >= ?', from && day(from)], ['creation <= ?', to && day(to)])
    const sql = `(SELECT to_timestamp((${end}(call) + ${end === 'min' ? 0 : 1}) * 86400::bigint)
       FROM (SELECT bucket, CASE kind WHEN 'days' THEN name::integer END FROM recording_counts WHERE kind = 'days'
             UNION ALL SELECT call, creation FROM recording_count_changes) AS days (call, creation)
      WHERE ${within.map((condition) => condition.sql).join(' AND ')})`
    return { sql, values: within.flatMap(({ values }) => values) }
  }
  const [first, last] = [bound('min'), bound('max')]
  return [
    { sql: `r.call_at >= ${first.sql}`, values: first.values },
    { sql: `r.call_at < ${last.sql}`, values: last.values },
  ]
}

export const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '')
