import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { ObjectMissing, type Storage } from '../../platform/storage/index.ts'
import { markKey, SAMPLE_OF_RECORDINGS } from '../../platform/storage/ownership.ts'

const ADVICE = 'mend the settings, or take it over with accept-storage'

/** Returns undefined if the object is missing. */
export function ifPresent<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof ObjectMissing) return undefined
    throw error
  })
}

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

/** Reads the id of the database that a storage belongs to; undefined without a mark. */
export async function readMark(storage: Storage): Promise<string | undefined> {
  const content = await ifPresent(storage.read(markKey(storage)))
  return content && (await text(content)).trim()
}
