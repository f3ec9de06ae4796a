import { readdir } from 'node:fs/promises'
import type { TestApp } from './server.ts'

/** Counts recordings in the database and audio files that are not hidden, to compare before and after a request. */
export async function countStoredObjects({ db, config }: TestApp): Promise<{ rows: string; files: number }> {
  const { rows } = await db.query('SELECT (SELECT count(*) FROM recordings) AS rows')
  const files = await readdir(config.audioDir, { recursive: true, withFileTypes: true })
  return { rows: rows[0].rows, files: files.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).length }
}
