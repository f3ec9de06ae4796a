import Type from 'typebox'
import * as field from '../../platform/http/field.ts'
import type { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { managerSpellingKeySql } from '../../people/managers/name-sql.ts'

/** The columns by which a list can be sorted, by the values of `sort`. Calls without a value come last in both orders. */
const SORT_COLUMNS = {
  durationSeconds: { sql: 'r.duration_seconds', type: 'double precision' },
  score: { sql: 'r.score', type: 'real' },
  phoneNumber: { sql: 'r.phone_number', type: 'text' },
  managerName: { sql: managerSpellingKeySql('r.manager_name'), type: 'text' },
} as const

type SortColumnName = keyof typeof SORT_COLUMNS
type RecordingSortName = 'callStartedAt' | SortColumnName

const findSortColumn = (sort: RecordingSortName | undefined) =>
  sort === undefined || sort === 'callStartedAt' ? undefined : SORT_COLUMNS[sort]

/** The requested order of a recording list. Without `sort`, it is the order of the call times. */
export interface RecordingListOrder {
  sort?: RecordingSortName | undefined
  /** 'best' is the rank of a search, or 'desc' without a search. With `sort`, it means 'desc'. */
  order: 'asc' | 'desc' | 'best'
}

export const recordingSortParameter = {
  sort: Type.Optional(
    field.oneOf(
      ['callStartedAt', ...(Object.keys(SORT_COLUMNS) as SortColumnName[])],
      'The field that `order` sorts by; by default the time of the call. Calls without a value come last in both ' +
        'orders. Calls with equal values are sorted newest first. With `sort`, the default of `order` is desc.',
    ),
  ),
}

/** Returns true if a list uses the rank of its search. */
export const isOrderedByRank = ({ sort, order }: RecordingListOrder): boolean => sort === undefined && order === 'best'

const NEWEST_FIRST = 'r.call_at DESC, r.id DESC'
const OLDEST_FIRST = 'r.call_at, r.id'

/** Returns the SQL of ORDER BY for rows of recordings r. */
export function formatRecordingOrderSql({ sort, order }: RecordingListOrder): string {
  const column = findSortColumn(sort)?.sql
  if (!column) return order === 'asc' ? OLDEST_FIRST : NEWEST_FIRST
  return `${column} ${order === 'asc' ? 'ASC' : 'DESC'} NULLS LAST, ${NEWEST_FIRST}`
}

/**
 * Returns SQL that selects the ids of a page of recordings r. One part selects calls with a value, another those without. So each
 * part can use an index, although indexes have nulls at the other end in descending order. Postgres runs the second part only if
 * the first one has too few rows.
 */
export function selectRecordingPageIdsSql(
  list: RecordingListOrder,
  condition: string,
  limit: number,
  offset: number,
): string {
  const column = findSortColumn(list.sort)?.sql
  const page = `LIMIT ${limit} OFFSET ${offset}`
  if (!column)
    return `SELECT r.id FROM recordings r WHERE ${condition} ORDER BY ${formatRecordingOrderSql(list)} ${page}`
  const direction = list.order === 'asc' ? 'ASC' : 'DESC'
  const selectPart = (valueCondition: string, by: string) =>
    `(SELECT r.id FROM recordings r WHERE ${valueCondition} AND ${condition} ORDER BY ${by} LIMIT ${limit + offset})`
  const withValue = selectPart(`${column} IS NOT NULL`, `${column} ${direction}, ${NEWEST_FIRST}`)
  const withoutValue = selectPart(`${column} IS NULL`, NEWEST_FIRST)
  return `SELECT id FROM (${withValue} UNION ALL ${withoutValue}) AS sorted ${page}`
}

/** The position of a call in a list. Values are text, because a Date has no microseconds. */
export type RecordingListPlace = { id: string; callTime: string } & Record<SortColumnName, string | null>

/** SQL that selects the position of a row of recordings r. */
export const SELECT_RECORDING_LIST_PLACE_SQL = [
  'SELECT r.id, r.call_at::text AS "callTime"',
  ...Object.entries(SORT_COLUMNS).map(([name, { sql }]) => `${sql}::text AS "${name}"`),
].join(', ')

/**
 * SQL for a part of the rows before or after a recording. Each part can use an index. The nearest part comes first, and `by` puts
 * its nearest row first.
 */
export interface AdjacentRowsSql {
  condition: string
  by: string
}

/** Builds SQL for the rows before and after a recording in a list of recordings r. */
export function buildAdjacentRowsSql(
  p: SqlParameters,
  { sort, order }: RecordingListOrder,
  place: RecordingListPlace,
): { before: AdjacentRowsSql[]; after: AdjacentRowsSql[] } {
  const time = `(r.call_at, r.id)`
  const at = `(${p.add(place.callTime)}::timestamptz, ${p.add(place.id)}::uuid)`
  const later = { condition: `${time} > ${at}`, by: OLDEST_FIRST }
  const earlier = { condition: `${time} < ${at}`, by: NEWEST_FIRST }
  const { sql: column, type } = findSortColumn(sort) ?? {}
  if (!column) return order === 'asc' ? { before: [earlier], after: [later] } : { before: [later], after: [earlier] }
  const value = place[sort as SortColumnName]
  const [ahead, behind] = order === 'asc' ? ['DESC', 'ASC'] : ['ASC', 'DESC']
  const among = (condition: string, { condition: side, by }: AdjacentRowsSql) => ({
    condition: `${condition} AND ${side}`,
    by,
  })
  if (value === null) {
    const before = { condition: `${column} IS NOT NULL`, by: `${column} ${ahead}, ${OLDEST_FIRST}` }
    return { before: [among(`${column} IS NULL`, later), before], after: [among(`${column} IS NULL`, earlier)] }
  }
  const own = `${p.add(value)}::${type}`
  const [less, more] = order === 'asc' ? ['<', '>'] : ['>', '<']
  return {
    before: [
      among(`${column} = ${own}`, later),
      { condition: `${column} ${less} ${own}`, by: `${column} ${ahead}, ${OLDEST_FIRST}` },
    ],
    after: [
      among(`${column} = ${own}`, earlier),
      { condition: `${column} ${more} ${own}`, by: `${column} ${behind}, ${NEWEST_FIRST}` },
      { condition: `${column} IS NULL`, by: NEWEST_FIRST },
    ],
  }
}
