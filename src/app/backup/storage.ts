import type pg from 'pg'
import { ifPresent, type Storage } from '../../platform/storage/index.ts'
import { readMark, SAMPLE_OF_RECORDINGS } from '../../platform/storage/ownership.ts'

const ADVICE = 'mend the settings, or take it over with accept-storage'

/** Rejects the storage of another database, and the folder of a volume that is not mounted. */
export async function requireOwnStorage(client: pg.Client, storage: Storage): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM storage_owner')
  const mark = await readMark(storage)
  if (mark === rows[0]?.id) return
  if (mark !== undefined) throw new Error(`the storage carries the mark of another database: ${ADVICE}`)
  const sample = await client.query<{ storage_key: string }>(SAMPLE_OF_RECORDINGS)
  const found = await Promise.all(sample.rows.map(({ storage_key: key }) => ifPresent(storage.stat(key))))
  if (found.filter(Boolean).length * 2 >= found.length) return
  throw new Error(
    `the storage is empty or another one: it has no mark of this database and not the audio of its calls: ${ADVICE}`,
  )
}
