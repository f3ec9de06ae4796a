import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import type { Sql } from '../../platform/db/sql.ts'

// A lock of the row would make a stop wait for the batch.

/** Takes the lock of a running batch until the end of the transaction. @returns false if another session has it */
export async function tryLockBulkAction(sql: Sql, id: string): Promise<boolean> {
  const { rows } = await sql.query<{ ours: boolean }>({
    text: 'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS ours',
    values: [ADVISORY_LOCK_KEYS.bulkAction, id],
  })
  return rows[0]!.ours
}
