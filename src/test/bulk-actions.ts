import { generateId } from '../platform/lib/ids.ts'
import type { TestApp } from './server.ts'

/** Locks a call in the database, so that changes of it wait. */
export async function holdCall({ db }: Pick<TestApp, 'db'>, id: string): Promise<{ release: () => Promise<void> }> {
  const client = await db.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM recordings WHERE id = $1 FOR UPDATE', [id])
  return {
    async release() {
      await client.query('COMMIT')
      client.release()
    },
  }
}

/** Inserts a running bulk action of a person. @returns its id */
export async function insertBulkAction(
  { db }: Pick<TestApp, 'db'>,
  personId: string,
  ids: string[] = [],
): Promise<string> {
  const id = generateId()
  await db.query(
    `INSERT INTO bulk_actions (id, person_id, action, state, recording_ids, counts) VALUES ($1, $2, 'delete', 'running', $3, $4)`,
    [id, personId, ids, { done: 0, refused: 0, denied: 0, absent: 0, failed: 0 }],
  )
  return id
}
