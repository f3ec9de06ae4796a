import 'reflect-metadata'
import { createDataSource, poolOf } from '../platform/db/db.ts'
import { loadSchema, type DatabaseSchema } from '../platform/db/schema-comparison.ts'

/** The schema that the migrations create in an empty database. */
export async function loadMigratedSchema(url: string): Promise<DatabaseSchema> {
  const db = await createDataSource(url, { poolSize: 1 }).initialize()
  try {
    await db.runMigrations()
    return await loadSchema(poolOf(db))
  } finally {
    await db.destroy()
  }
}
