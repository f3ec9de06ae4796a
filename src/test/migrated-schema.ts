import 'reflect-metadata'
import { createDataSource, pool } from '../platform/db/db.ts'
import { readSchema, type Schema } from '../platform/db/expected-schema.ts'

/** The schema that the migrations create in an empty database. */
export async function migratedSchema(url: string): Promise<Schema> {
  const db = await createDataSource(url, { poolSize: 1 }).initialize()
  try {
    await db.runMigrations()
    return await readSchema(pool(db))
  } finally {
    await db.destroy()
  }
}
