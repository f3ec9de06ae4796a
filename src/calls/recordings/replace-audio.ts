import type { CallsCore } from '../core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { notFoundError } from '../../platform/errors.ts'
import { confirmStoredAudio, scheduleFileRemoval, removeFileIfDue, type StoredAudio } from './audio-files.ts'
import { recordingMessages } from './messages.ts'
import { REQUEUE_RECORDING_ASSIGNMENTS_SQL, updateRecordingWithHistorySql } from './service.ts'

/**
 * Replaces the audio of a recording and deletes its transcript. Queues the recording again unless it is cancelled.
 * @throws HttpError 404 if the recording does not exist, or any error of confirmStoredAudio()
 */
export async function replaceRecordingAudio(core: CallsCore, id: string, audio: StoredAudio): Promise<void> {
  const oldKey = await runInTransaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string }>({
      text: 'SELECT storage_key AS key FROM recordings WHERE id = $1 FOR UPDATE',
      values: [id],
    })
    if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
    await confirmStoredAudio(core, sql, audio)
    for (const table of ['transcripts', 'waveforms', 'playable_copies']) {
      await sql.query({ text: `DELETE FROM ${table} WHERE recording_id = $1`, values: [id] })
    }
    await sql.query({ text: 'DELETE FROM separations WHERE id = $1', values: [id] })
    for (const listener of core.callListeners) await listener.transcriptRemoved?.(sql, id)
    const assignments =
      'storage_key = $2, size_bytes = $3, file_name = $4, audio_sha256 = $5, duration_seconds = NULL, audio = NULL, speakers = NULL'
    const values = [id, audio.storageKey, audio.sizeBytes, audio.fileName, audio.sha256]
    const requeueSql = `UPDATE recordings r SET ${assignments}, ${REQUEUE_RECORDING_ASSIGNMENTS_SQL} WHERE r.id = $1 AND r.status <> 'CANCELLED'`
    const { rowCount } = await sql.query({ text: updateRecordingWithHistorySql(requeueSql, 'retried'), values })
    if (rowCount === 0) await sql.query({ text: `UPDATE recordings r SET ${assignments} WHERE r.id = $1`, values })
    await scheduleFileRemoval(sql, rows[0].key)
    return rows[0].key
  })
  core.notify('transcription')
  await removeFileIfDue(core, oldKey)
}
