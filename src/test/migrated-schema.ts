import 'reflect-metadata'
import { createDataSource, poolOf } from '../platform/db/db.ts'
import { loadDatabaseSchema, type DatabaseSchema } from '../platform/db/schema-comparison.ts'

/** Applies all migrations to an empty database and returns its schema. */
export async function loadMigratedSchema(url: string): Promise<DatabaseSchema> {
  const db = await createDataSource(url, { poolSize: 1 }).initialize()
  try {
    await db.runMigrations()
    return await loadDatabaseSchema(poolOf(db))
  } finally {
    await db.destroy()
  }
}
