import { where, type Where } from '../../platform/lib/where.ts'

/** Range columns: the names are kinds of recording_counts, the widths those of their buckets. */
export const RANGES = {
  call: { column: 'r.call_at', type: 'timestamptz', width: 86_400_000 },
  creation: { column: 'r.created_at', type: 'timestamptz', width: 86_400_000 },
  duration: { column: 'r.duration_seconds', type: 'double precision', width: 1 },
  score: { column: 'r.score', type: 'real', width: 1 },
} as const
export type RangeName = keyof typeof RANGES

/** A range of a column, times in milliseconds since 1970. The upper bound is included only if `closed`. */
export interface Range {
  name: RangeName
  from?: number
  to?: number
  closed: boolean
}

/**
 * The filtered recordings visible to the actor. `flags` are conditions on status, source and direction alone, `manager` on the
 * manager alone, `others` on any column. `found` contains the ids that a search found among them.
 */
export interface Selection {
  flags: Where
  manager: Where
  ranges: Range[]
  others: Where
  found?: string[]
}

/** The conditions of a range on its column. */
export function rangeWhere({ name, from, to, closed }: Range): Where {
  const { column, type } = RANGES[name]
  const value = (bound?: number) => (bound === undefined || type !== 'timestamptz' ? bound : new Date(bound))
  return where([`${column} >= ?::${type}`, value(from)], [`${column} ${closed ? '<=' : '<'} ?::${type}`, value(to)])
}

/** All conditions of the selection on the table recordings r. */
export function rowsOf({ flags, manager, ranges, others, found }: Selection): Where {
  if (found) return where(['r.id = ANY(?::uuid[])', found])
  const near = ranges.filter(({ name }) => name === 'creation').flatMap(createdWithin)
  return [...flags, ...manager, ...ranges.flatMap(rangeWhere), ...near, ...others]
}

const CALL_DAYS = `
  (SELECT bucket AS call, CASE kind WHEN 'days' THEN name::integer END AS creation FROM recording_counts WHERE kind = 'days'
   UNION ALL SELECT call, creation FROM recording_count_changes) AS days`

/** Limits the days of calls by a time of creation in ms, so that a list does not scan from its newest call. */
export function createdWithin({ from, to }: { from?: number; to?: number }): Where {
  const day = (time?: number) => time && Math.floor(time / RANGES.creation.width)
  const within = where(['creation >= ?', day(from)], ['creation <= ?', day(to)])
  const days = `${CALL_DAYS} WHERE ${within.map(({ sql }) => sql).join(' AND ')}`
  const values = within.flatMap((condition) => condition.values)
  return [
    { sql: `r.call_at >= (SELECT to_timestamp(min(call) * 86400::bigint) FROM ${days})`, values },
    { sql: `r.call_at < (SELECT to_timestamp((max(call) + 1) * 86400::bigint) FROM ${days})`, values },
  ]
}

export const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '')
