import type pg from 'pg'
import type { Core } from '../src/core.ts'
import { createDataSource, pool, type Sql } from '../src/db.ts'
import { checkText } from '../src/http/validation.ts'
import { listPage } from '../src/recordings/listing.ts'
import { listRecordings } from '../src/recordings/schema.ts'
import { openSnapshot } from '../src/transcripts/snapshot.ts'
import { literal, type Target } from './scale-measure.ts'

const KEY = { kind: 'key', id: '', name: 'bench' } as const

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
  const master = Object.assign(listen(real), {
    connect: async () => {
      const client = await real.connect()
      const query = client.query.bind(client)
      const release = client.release.bind(client)
      Object.assign(client, {
        query: (statement: Statement) => (heard.push(statement), query(statement as pg.QueryConfig)),
        release: (error?: Error) => release(error ?? true), // it is no connection for anybody else
      })
      return client
    },
  })
  const core = { config: { APP_TIMEZONE: 'Europe/Moscow' }, db: { driver: { master } } } as unknown as Core
  return {
    async statements(paths) {
      const all: string[][] = []
      for (const path of paths) {
        heard = []
        const given = Object.fromEntries(new URL(path, 'http://x').searchParams) as Record<string, unknown>
        await listPage(core, KEY, checkText(listRecordings.query, given, { ALLOW_PRIVATE_NETWORK_DOWNLOADS: false }))
        all.push(heard.map(literal))
      }
      return all
    },
    async exportStatement(limit) {
      heard = []
      const snapshot = await openSnapshot(core, KEY, {}, limit)
      snapshot.close()
      const declared = heard.find(({ text }) => text?.startsWith('DECLARE'))!
      return literal(declared).replace(/^DECLARE .* CURSOR FOR/, '')
    },
    close: () => db.destroy(),
  }
}
