import type { Core } from '../../platform/core.ts'
import { limitOf, queryPage, type Page, type PageRequest } from '../../platform/db/page.ts'
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

/** The requested page. */
export interface PageQuery extends PageRequest {
  /** asc and desc: by time of the call, then id. best: by the rank of the search, or desc without a search. */
  order: 'asc' | 'desc' | 'best'
}

/** One page of the filtered recordings visible to the actor. */
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
    return readPageOfIds<R>(sql, p, { columns, selection, ids: `SELECT unnest(${found})`, by, page, pageSize })
  }
  const by = order === 'asc' ? 'r.call_at, r.id' : 'r.call_at DESC, r.id DESC'
  const ids = `
    SELECT r.id FROM recordings r WHERE counted.total > ${offset} AND ${p.and(rowsOf(selection))}
     ORDER BY ${by} ${limitOf({ page, pageSize })}`
  return readPageOfIds<R>(sql, p, { columns, selection, ids, by, page, pageSize })
}

/** A page in SQL: its columns, the statement that finds its ids and can use counted.total, and the order of its rows. */
interface PageSql extends PageRequest {
  columns: string
  selection: Selection
  ids: string
  by: string
}

/** Counts a selection and reads one page of it: finds the ids first, often from an index alone, then reads only their rows. */
export function readPageOfIds<R extends { id: string }>(
  sql: Sql,
  p: Parameters,
  { columns, selection, ids, by, ...page }: PageSql,
): Promise<Page<R>> {
  const rows = `${columns} WHERE r.id = ANY(ARRAY(${ids})) ORDER BY ${by} LIMIT ${page.pageSize}`
  return queryPage<R>(sql, { count: countStatement(p, selection), rows, values: p.values }, page)
}
