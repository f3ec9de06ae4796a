import type { Core } from '../core.ts'
import { pool, type Sql } from '../db.ts'
import type { Actor } from '../http/access.ts'
import { DEFAULT_PAGE_SIZE } from '../http/paging.ts'
import { sha256 } from '../lib/crypto.ts'
import { Literals, Parameters } from '../lib/where.ts'
import { countStatement } from './counts.ts'
import type { Filters } from './filters.ts'
import { addForecast } from './forecast.ts'
import { presentListed, SELECT_RECORDING, type RecordingRow } from './present.ts'
import type { RecordingJson } from './schema.ts'
import { select } from './select.ts'
import { rowsOf, type Selection } from './selection.ts'

/** Which part of a list. */
export interface PageOf {
  page: number
  pageSize: number
  order: 'asc' | 'desc'
}

/** A page of a list. */
export interface Page<T> {
  items: T[]
  total: number
  page: number
  pageSize: number
}

/** One page of the recordings that the filters choose of what the actor may see, by time of the call, then id. */
export async function listPage(core: Core, actor: Actor, query: Filters & PageOf): Promise<Page<RecordingJson>> {
  const sql = pool(core.db)
  const selection = await select(core, sql, actor, query, { transcripts: false })
  const page = await readPage<RecordingRow>(sql, SELECT_RECORDING, selection, query)
  await addForecast(core, page.items)
  return { ...page, items: page.items.map(presentListed) }
}

/**
 * Counts and reads one page, in one statement. The ids are found first, from the index alone where it can tell; only
 * the rows of the page are read whole. Past the end nothing is looked for: looking for nothing takes longest.
 * @param columns SELECT … FROM recordings r
 */
export async function readPage<R extends { id: string }>(
  sql: Sql,
  columns: string,
  selection: Selection,
  { page, pageSize, order }: PageOf,
): Promise<Page<R>> {
  const keepsPlan = isAskedForOften(selection, { page, pageSize, order })
  const p = keepsPlan ? new Literals() : new Parameters()
  const offset = (page - 1) * pageSize
  const by = order === 'asc' ? 'r.call_at, r.id' : 'r.call_at DESC, r.id DESC'
  const ids = `
    SELECT r.id FROM recordings r WHERE counted.total > ${offset} AND ${p.and(rowsOf(selection))}
     ORDER BY ${by} LIMIT ${pageSize} OFFSET ${offset}`
  const text = `
    SELECT counted.total, listed.* FROM (${countStatement(p, selection)}) AS counted
      LEFT JOIN LATERAL (
        ${columns} WHERE counted.total > ${offset} AND r.id = ANY(ARRAY(${ids})) ORDER BY ${by} LIMIT ${pageSize}
      ) AS listed ON true`
  const name = keepsPlan ? `page-${sha256(text).toString('hex').slice(0, 32)}` : undefined
  const { rows } = await sql.query<R & { total: number }>({ name, text, values: p.values })
  const items = rows.filter(({ id }) => id !== null)
  return { items, total: rows[0]!.total, page, pageSize }
}

/**
 * The first pages, whole or by one flag: so few that Postgres may keep a plan for each of them, with the flag's values
 * written in, because it depends on them. Making the plan takes twice as long as following it.
 */
function isAskedForOften({ flags, manager, ranges, others, found }: Selection, { page, pageSize, order }: PageOf) {
  const isWhole = manager.length + ranges.length + others.length === 0 && !found
  return isWhole && flags.length <= 1 && page === 1 && pageSize === DEFAULT_PAGE_SIZE && order === 'desc'
}
