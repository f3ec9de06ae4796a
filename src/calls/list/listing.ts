import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters, statementName } from '../../platform/lib/where.ts'
import { countStatement } from './counts.ts'
import { countAndFind, mayBeFew } from './few-calls.ts'
import { FAR, skipDays } from './far-pages.ts'
import type { Filters } from './filters.ts'
import { hasPlainValues, keepsPlan, Literals } from './kept-plans.ts'
import { addForecast } from '../recordings/forecast.ts'
import { presentListed, SELECT_RECORDING, type RecordingRow } from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { select } from './select.ts'
import { isWhole, rowsOf, type Selection } from './selection.ts'

/** Which part of a list. */
export interface PageOf {
  page: number
  pageSize: number
  /** best: as a search found them; without a search as desc. */
  order: 'asc' | 'desc' | 'best'
}

/** A page of a list. */
export interface Page<T> {
  items: T[]
  total: number
  page: number
  pageSize: number
}

/**
 * One page of the recordings that the filters choose of what the actor may see: by time of the call, then id; those that
 * a search found the best first, unless an order is asked for.
 */
export async function listPage(
  core: Core,
  actor: Actor,
  query: Filters & Omit<PageOf, 'order'> & Partial<PageOf>,
): Promise<Page<RecordingJson>> {
  const sql = core.pool
  const selection = await select(core, sql, actor, query, { transcripts: false })
  const order = query.order ?? 'best'
  const page = await readPage<RecordingRow>(sql, SELECT_RECORDING, selection, { ...query, order })
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
  which: PageOf,
): Promise<Page<R>> {
  const { page, pageSize } = which
  if (which.order === 'best' && selection.found) return readFound(sql, columns, selection.found, which)
  const order = which.order === 'asc' ? 'asc' : 'desc'
  const from = (page - 1) * pageSize
  const isKept = keepsPlan(selection, { page, pageSize, order })
  // A plan that is kept depends on the flags, which are few, but is the same for every time.
  const isWritten = isKept ? selection.flags.length > 0 : hasPlainValues(selection)
  const p = isWritten ? new Literals() : new Parameters()
  const offset = from === 0 ? '0' : `${p.add(from)}::bigint`
  const by = order === 'asc' ? 'r.call_at, r.id' : 'r.call_at DESC, r.id DESC'
  const skip = from >= FAR && isWhole(selection) ? skipDays(offset, order) : undefined
  const chosen = skip?.condition ?? p.and(rowsOf(selection))
  const part = `ORDER BY ${by} LIMIT ${pageSize} OFFSET ${skip?.rest ?? from}`
  const few = mayBeFew(selection) ? countAndFind(chosen, offset, part) : undefined
  const ids = few?.ids ?? `SELECT r.id FROM recordings r WHERE counted.total > ${offset} AND ${chosen} ${part}`
  const text = `
    ${few?.first ?? skip?.first ?? ''}
    SELECT counted.total, listed.* FROM (${few?.count ?? countStatement(p, selection)}) AS counted
      LEFT JOIN LATERAL (
        ${columns} WHERE counted.total > ${offset} AND r.id = ANY(ARRAY(${ids})) ORDER BY ${by} LIMIT ${pageSize}
      ) AS listed ON true`
  const name = isKept ? statementName('page', text) : undefined
  const { rows } = await sql.query<R & { total: number }>({ name, text, values: p.values })
  const items = rows.filter(({ id }) => id !== null)
  return { items, total: rows[0]!.total, page, pageSize }
}

/** A page of what a search found, in the order in which it was found. */
async function readFound<R extends { id: string }>(
  sql: Sql,
  columns: string,
  found: string[],
  { page, pageSize }: PageOf,
): Promise<Page<R>> {
  const ids = found.slice((page - 1) * pageSize, page * pageSize)
  const text = `${columns} JOIN unnest($1::uuid[]) WITH ORDINALITY AS chosen (id, position) ON chosen.id = r.id ORDER BY chosen.position`
  const { rows } = ids.length > 0 ? await sql.query<R>({ text, values: [ids] }) : { rows: [] }
  return { items: rows, total: found.length, page, pageSize }
}
