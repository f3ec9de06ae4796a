import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import type { Actor } from '../http/access.ts'
import { Parameters } from '../lib/where.ts'
import { countSelected } from './counts.ts'
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
  return readPage(selection, query, core, async (page, values) => {
    const { rows } = await sql.query<RecordingRow>({ text: `${SELECT_RECORDING} ${page}`, values })
    await addForecast(core, rows)
    return rows.map(presentListed)
  })
}

/**
 * Counts, and reads the rows of one page: `read` gets the WHERE and ORDER BY of a statement on recordings r. The ids
 * are found first, from the index alone where it can tell; only the rows of the page are read whole.
 */
export async function readPage<T>(
  selection: Selection,
  { page, pageSize, order }: PageOf,
  core: Core,
  read: (page: string, values: unknown[]) => Promise<T[]>,
): Promise<Page<T>> {
  const total = await countSelected(pool(core.db), selection)
  const offset = (page - 1) * pageSize
  // Past the end there is nothing to look for, and looking for nothing takes longest.
  if (offset >= total) return { items: [], total, page, pageSize }
  const p = new Parameters()
  const by = order === 'asc' ? 'r.call_at, r.id' : 'r.call_at DESC, r.id DESC'
  const items = await read(
    `WHERE r.id = ANY(ARRAY(SELECT r.id FROM recordings r WHERE ${p.and(rowsOf(selection))}
       ORDER BY ${by} LIMIT ${pageSize} OFFSET ${offset})) ORDER BY ${by}`,
    p.values,
  )
  return { items, total, page, pageSize }
}
