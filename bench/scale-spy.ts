import type { Sql } from '../src/platform/db/sql.ts'
import { SYSTEM } from '../src/platform/http/actor.ts'
import type { Core } from '../src/platform/core.ts'
import { createDataSource, pool } from '../src/platform/db/db.ts'
import { checkText } from '../src/platform/http/validation.ts'
import { Parameters } from '../src/platform/lib/where.ts'
import { listPage } from '../src/calls/list/listing.ts'
import { SELECT_RECORDING_WITH_TRANSCRIPT } from '../src/calls/recordings/present.ts'
import { listRecordings } from '../src/calls/recordings/operations.ts'
import { select } from '../src/calls/list/select.ts'
import { rowsOf } from '../src/calls/list/selection.ts'
import { literal, type Target } from './scale-measure.ts'

type Statement = { text: string; values?: unknown[] }

/** Tells which statements the API runs, with their values in them. */
export interface Spy {
  statements(paths: string[]): Promise<string[][]>
  exportStatement(limit: number): Promise<string>
  close(): Promise<void>
}

/** Runs the product's own services on the database and hears which statements they make. */
export async function openSpy({ databaseUrl }: Target): Promise<Spy> {
  const db = await createDataSource(databaseUrl, { poolSize: 2 }).initialize()
  let heard: Statement[] = []
  const listen = (sql: Sql): Sql => ({
    query(statement) {
      heard.push(statement)
      return sql.query(statement)
    },
  })
  const real = pool(db)
  const master = listen(real)
  const core = { config: { APP_TIMEZONE: 'Europe/Moscow' }, pool: master } as unknown as Core
  return {
    async statements(paths) {
      const all: string[][] = []
      for (const path of paths) {
        heard = []
        const given = Object.fromEntries(new URL(path, 'http://x').searchParams) as Record<string, unknown>
        await listPage(core, SYSTEM, checkText(listRecordings.query, given, { ALLOW_PRIVATE_NETWORK_DOWNLOADS: false }))
        all.push(heard.map(literal))
      }
      return all
    },
    async exportStatement(limit) {
      const p = new Parameters()
      const rows = p.and(rowsOf(await select(core, real, SYSTEM, {}, { transcripts: true })))
      const text = `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE ${rows} ORDER BY r.call_at, r.id LIMIT ${limit}`
      return literal({ text, values: p.values })
    },
    close: () => db.destroy(),
  }
}
