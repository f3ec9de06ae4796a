import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { countStatement } from './counts.ts'
import type { Filters } from './filters.ts'
import { addForecast } from '../recordings/forecast.ts'
import { presentListed, SELECT_RECORDING, type RecordingRow } from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { select } from './select.ts'
import { rowsOf, type Selection } from './selection.ts'

/** The page that a request asks for. */
export interface PageQuery {
  page: number
  pageSize: number
  /** asc and desc: by time of the call, then id. best: as the search ranked them, without a search as desc. */
  order: 'asc' | 'desc' | 'best'
}

/** A page of a list. */
export interface Page<T> {
  items: T[]
  total: number
  page: number
  pageSize: number
}

/** One page of the recordings that the filters choose of those that the actor sees. */
export async function listPage(
  core: Core,
  actor: Actor,
  query: Filters & Omit<PageQuery, 'order'> & Partial<PageQuery>,
): Promise<Page<RecordingJson>> {
  const selection = await select(core, core.pool, actor, query, { transcripts: false })
  const page = await readPage<RecordingRow>(core.pool, SELECT_RECORDING, selection, {
    ...query,
    order: query.order ?? 'best',
  })
  await addForecast(core, page.items)
  return { ...page, items: page.items.map(presentListed) }
}

/** Reads one page of a selection. @param columns SELECT … FROM recordings r */
export function readPage<R extends { id: string }>(
  sql: Sql,
  columns: string,
  selection: Selection,
  { page, pageSize, order }: PageQuery,
): Promise<Page<R>> {
  const p = new Parameters()
  const offset = (page - 1) * pageSize
  if (order === 'best' && selection.found) {
    const found = `${p.add(selection.found.slice(offset, offset + pageSize))}::uuid[]`
    const by = `array_position(${found}, r.id)`
    return countAndRead<R>(sql, p, { columns, selection, ids: `SELECT unnest(${found})`, by, page, pageSize })
  }
  const by = order === 'asc' ? 'r.call_at, r.id' : 'r.call_at DESC, r.id DESC'
  const ids = `
    SELECT r.id FROM recordings r WHERE counted.total > ${offset} AND ${p.and(rowsOf(selection))}
     ORDER BY ${by} LIMIT ${pageSize} OFFSET ${offset}`
  return countAndRead<R>(sql, p, { columns, selection, ids, by, page, pageSize })
}

/** A page in SQL: its columns, the statement that finds its ids and can use counted.total, and the order of its rows. */
interface PageSql extends Omit<PageQuery, 'order'> {
  columns: string
  selection: Selection
  ids: string
  by: string
}

/**
 * Counts a selection and reads one page of it, in one statement: both see the same snapshot. It finds the ids first,
 * often from an index alone, and reads only the rows of the page.
 */
export async function countAndRead<R extends { id: string }>(
  sql: Sql,
  p: Parameters,
  { columns, selection, ids, by, page, pageSize }: PageSql,
): Promise<Page<R>> {
  const { rows } = await sql.query<R & { total: number }>({
    text: `
      SELECT counted.total, listed.* FROM (${countStatement(p, selection)}) AS counted
        LEFT JOIN LATERAL (
          ${columns} WHERE r.id = ANY(ARRAY(${ids})) ORDER BY ${by} LIMIT ${pageSize}
        ) AS listed ON true`,
    values: p.values,
  })
  return { items: rows.filter(({ id }) => id !== null), total: rows[0]!.total, page, pageSize }
}
