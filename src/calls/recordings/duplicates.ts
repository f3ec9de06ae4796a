import type { Sql } from '../../platform/db/sql.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import type { SqlConditions, SqlParameters } from '../../platform/lib/sql-conditions.ts'

/** An earlier call with the same audio, as JSON that Postgres built. `createdAt` is in ISO 8601. */
export interface DuplicateRecordingRow {
  id: string
  fileName: string | null
  createdAt: string
}

/** Serializes transactions that register the same audio, so that all but the first one see an earlier call. */
export async function lockAudioHash(sql: Sql, sha256: Buffer): Promise<void> {
  await sql.query({
    text: 'SELECT pg_advisory_xact_lock($1, $2)',
    values: [ADVISORY_LOCK_KEYS.sameAudio, sha256.readInt32BE()],
  })
}

/**
 * Returns SQL for the column duplicateOf of a recording r: the first earlier call with the same audio, or null. The conditions
 * refer to a table r, so the subquery renames the outer r to "own".
 * @param visible conditions on the earlier call
 */
export const selectDuplicateRecordingSql = (p: SqlParameters, visible: SqlConditions): string => `
  (SELECT json_build_object('id', r.id, 'fileName', r.file_name, 'createdAt', r.created_at)
     FROM (SELECT r.id, r.audio_sha256) own JOIN recordings r ON r.audio_sha256 = own.audio_sha256 AND r.id < own.id
    WHERE ${p.and(visible)} ORDER BY r.id LIMIT 1) AS "duplicateOf"`
