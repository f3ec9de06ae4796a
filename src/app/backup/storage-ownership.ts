import type pg from 'pg'
import { ignoreMissingObject, type AudioStorage } from '../../platform/storage/storage.ts'
import { readOwnershipMark, SAMPLE_STORAGE_KEYS_SQL } from '../../platform/storage/ownership.ts'

const STORAGE_ADVICE = 'mend the settings, or take it over with accept-storage'

/**
 * Rejects a storage that belongs to another database, or a folder whose volume is not mounted.
 * @throws Error unless the storage has the mark of the database or at least half of its sampled audio files
 */
export async function requireStorageOfDatabase(client: pg.Client, storage: AudioStorage): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM storage_owner')
  const mark = await readOwnershipMark(storage)
  if (mark === rows[0]?.id) return
  if (mark !== undefined) throw new Error(`the storage carries the mark of another database: ${STORAGE_ADVICE}`)
  const sample = await client.query<{ storage_key: string }>(SAMPLE_STORAGE_KEYS_SQL)
  const sampleFiles = await Promise.all(
    sample.rows.map(({ storage_key: key }) => ignoreMissingObject(storage.stat(key))),
  )
  if (sampleFiles.filter(Boolean).length * 2 >= sampleFiles.length) return
  throw new Error(
    `the storage is empty or belongs to another database: it has neither its mark nor the audio of its calls: ${STORAGE_ADVICE}`,
  )
}
