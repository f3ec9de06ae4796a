import { where, type Where } from '../lib/where.ts'

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
 * and direction, `manager` only of manager_name, `others` of any column.
 */
export interface Selection {
  flags: Where
  manager: Where
  ranges: Range[]
  others: Where
}

/** A range as conditions on its column. */
export function rangeWhere({ name, from, to, closed }: Range): Where {
  const { column, type } = RANGES[name]
  const value = (bound?: number) => (bound === undefined || type !== 'timestamptz' ? bound : new Date(bound))
  return where([`${column} >= ?::${type}`, value(from)], [`${column} ${closed ? '<=' : '<'} ?::${type}`, value(to)])
}

/** The whole selection as conditions on the table recordings r. */
export function rowsOf({ flags, manager, ranges, others }: Selection): Where {
  return [...flags, ...manager, ...ranges.flatMap(rangeWhere), ...others]
}

export const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '')
