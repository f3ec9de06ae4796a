import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'

/** How long a file that could not be removed is left alone: others have their turn meanwhile. */
const PAUSE_SECONDS = 600

/** Files that one run of the schedule removes at most. */
const RUN_FILES = 1000

/** What a start gives files whose time passed while nobody worked here. */
const SECOND_CHANCE_SECONDS = 24 * 3600

/**
 * Notes that a file is to go after a time, or at once, whatever happens to this process. Until then it is nobody's to
 * register. At once means before any time there is: a clock that is set back must not keep it.
 */
export async function planRemoval(sql: Sql, storageKey: string, afterSeconds?: number): Promise<void> {
  await sql.query({
    name: 'plan-removal',
    text: `INSERT INTO file_removals (storage_key, due_at)
           VALUES ($1, coalesce(now() + make_interval(secs => $2), '-infinity'))
           ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at`,
    values: [storageKey, afterSeconds],
  })
}

/** Removes a file that is to go at once; what cannot be done now, the schedule does later. */
export async function removeFile(core: Core, storageKey: string): Promise<void> {
  try {
    await takeRemoval(core, 'AND f.storage_key = $1', [storageKey])
  } catch (error) {
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
  }
}

/** Removes what came here and belongs to no recording, such as a refused upload. */
export async function discardFile(core: Core, storageKey: string): Promise<void> {
  try {
    await planRemoval(core.pool, storageKey)
  } catch (error) {
    // The note that was made before the upload still stands.
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
    return
  }
  await removeFile(core, storageKey)
}

/**
 * At a start: what became due while no schedule ran may belong to calls that a restored database has forgotten. It stays
 * for another day, so that `check --keep` can save it though nobody ran it before the start.
 */
export async function keepOverdueFiles(core: Core): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE file_removals SET due_at = now() + make_interval(secs => $1)
            WHERE due_at > '-infinity' AND due_at <= now()`,
    values: [SECOND_CHANCE_SECONDS],
  })
  if (rowCount) core.log.warn({ files: rowCount }, 'uploads that became no call stay for a day: check names them')
}

/** Removes the files whose time has come: of deleted recordings, and of uploads that never ended. */
export async function removeDueFiles(core: Core): Promise<void> {
  for (let n = 0; n < RUN_FILES; n++) {
    if (!(await takeRemoval(core, 'ORDER BY f.due_at LIMIT 1', []))) return
  }
}

/**
 * Removes a file that is due. Its note stays locked until it is gone with the file: so no other process removes under
 * this key what was put and registered there afterwards, and an upload that finds its note gone knows that its file is.
 * @returns whether there was one
 */
async function takeRemoval(core: Core, which: string, values: string[]): Promise<boolean> {
  return transaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string }>({
      text: `SELECT f.storage_key AS key FROM file_removals f
              WHERE f.due_at <= now() AND NOT EXISTS (SELECT FROM recordings r WHERE r.storage_key = f.storage_key)
                AND NOT EXISTS (SELECT FROM playable_copies c WHERE c.storage_key = f.storage_key)
              ${which} FOR UPDATE OF f SKIP LOCKED`,
      values,
    })
    if (!rows[0]) return false
    const { key } = rows[0]
    try {
      await core.storage.remove(key)
      await sql.query({ text: 'DELETE FROM file_removals WHERE storage_key = $1', values: [key] })
    } catch (error) {
      core.log.warn({ storageKey: key, reason: (error as Error).message }, 'a file could not be removed yet')
      await sql.query({
        text: 'UPDATE file_removals SET due_at = now() + make_interval(secs => $2) WHERE storage_key = $1',
        values: [key, PAUSE_SECONDS],
      })
    }
    return true
  })
}
