import { generateId } from '../platform/lib/ids.ts'
import type { TestApp } from './server.ts'
import { waitUntil } from './wait.ts'

/** Locks a call in the database, so that changes of it wait. */
export async function holdCall(
  { db }: Pick<TestApp, 'db'>,
  id: string,
): Promise<{ release: () => Promise<void>; waitForWaiters: (count: number) => Promise<unknown> }> {
  const client = await db.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM recordings WHERE id = $1 FOR UPDATE', [id])
  const countWaiters = async () => {
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return (await db.query(text)).rowCount!
  }
  return {
    async release() {
      await client.query('COMMIT')
      client.release()
    },
    waitForWaiters: (count) => waitUntil(`${count} connections wait`, async () => (await countWaiters()) >= count),
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
