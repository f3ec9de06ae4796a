import 'reflect-metadata'
import { createDataSource, pool } from '../db.ts'
import { readSchema, type Schema } from '../expected-schema.ts'

/** What the migrations make of an empty database. */
export async function migratedSchema(url: string): Promise<Schema> {
  const db = await createDataSource(url, { poolSize: 1 }).initialize()
  try {
    await db.runMigrations()
    return await readSchema(pool(db))
  } finally {
    await db.destroy()
  }
}
