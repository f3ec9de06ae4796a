import type pg from 'pg'
import { ObjectMissing, type Storage } from '../../platform/storage/index.ts'
import { markKey, SAMPLE_OF_RECORDINGS } from '../../platform/storage/ownership.ts'

const MEND = 'mend the settings, or take it over with accept-storage'

/**
 * Refuses a storage that is not the one of this database, as the service does: against the folder of a volume that is
 * not mounted every call would be a difference, and a backup from it would hold no audio and look whole.
 * @throws Error saying what to do
 */
export async function refuseForeign(client: pg.Client, storage: Storage): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM storage_owner')
  const mark = await markOf(storage)
  if (mark === rows[0]?.id) return
  if (mark !== undefined) throw new Error(`the storage carries the mark of another database: ${MEND}`)
  if (!(await holdsOurAudio(client, storage))) {
    throw new Error(
      `the storage is empty or another one: it has no mark of this database and not the audio of its calls: ${MEND}`,
    )
  }
}

/** Reads the database id in the mark of a storage; undefined without a mark. */
export async function markOf(storage: Storage): Promise<string | undefined> {
  try {
    const parts = await (await storage.read(markKey(storage))).toArray()
    return Buffer.concat(parts).toString().trim()
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
}

async function holdsOurAudio(client: pg.Client, storage: Storage): Promise<boolean> {
  const { rows } = await client.query<{ storage_key: string }>(SAMPLE_OF_RECORDINGS)
  const isThere = async ({ storage_key: key }: { storage_key: string }): Promise<boolean> => {
    try {
      await storage.stat(key)
      return true
    } catch (error) {
      if (error instanceof ObjectMissing) return false
      throw error
    }
  }
  const there = await Promise.all(rows.map(isThere))
  return there.filter(Boolean).length * 2 >= rows.length
}
