import type { Sql } from '../../platform/db/sql.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import type { Conditions, SqlParameters } from '../../platform/lib/sql-conditions.ts'

/** An earlier call with the same audio. */
export interface DuplicateRow {
  id: string
  fileName: string | null
  createdAt: string
}

/** Makes transactions that register the same audio wait for each other, so that all but the first see an earlier call. */
export async function lockAudio(sql: Sql, sha256: Buffer): Promise<void> {
  await sql.query({
    text: 'SELECT pg_advisory_xact_lock($1, $2)',
    values: [ADVISORY_LOCK_KEYS.sameAudio, sha256.readInt32BE()],
  })
}

/**
 * SQL column: the first call with the audio of the recording r, if it is earlier and meets the conditions, else null.
 * The conditions name their table r, so "own" carries the outer r into the subquery.
 */
export const selectDuplicateSql = (p: SqlParameters, visible: Conditions): string => `
  (SELECT json_build_object('id', r.id, 'fileName', r.file_name, 'createdAt', r.created_at)
     FROM (SELECT r.id, r.audio_sha256) own JOIN recordings r ON r.audio_sha256 = own.audio_sha256 AND r.id < own.id
    WHERE ${p.and(visible)} ORDER BY r.id LIMIT 1) AS "duplicateOf"`
