import type { Core } from '../core.ts'
import { transaction } from '../db.ts'
import { notFound } from '../errors.ts'
import { keepAudio, type StoredAudio } from './audio-files.ts'
import { recordingMessages } from './messages.ts'
import { planRemoval, removeFile } from './removals.ts'
import { BACK_INTO_QUEUE } from './service.ts'
import { noteChanged } from './timeline/history.ts'

/**
 * Puts other audio into a recording, and has it transcribed anew: what was said in the old one is gone, whoever works on it
 * has lost its claim. @throws HttpError 404
 */
export async function replaceAudio(core: Core, id: string, audio: StoredAudio): Promise<void> {
  const old = await transaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string }>({
      text: 'SELECT storage_key AS key FROM recordings WHERE id = $1 FOR UPDATE',
      values: [id],
    })
    if (!rows[0]) throw notFound(recordingMessages.noRecording())
    await keepAudio(core, sql, audio)
    for (const table of ['transcripts', 'waveforms', 'playable_copies']) {
      await sql.query({ text: `DELETE FROM ${table} WHERE recording_id = $1`, values: [id] })
    }
    const set = 'storage_key = $2, size_bytes = $3, file_name = $4, duration_seconds = NULL, audio = NULL'
    await sql.query({
      text: noteChanged(`UPDATE recordings r SET ${set}, ${BACK_INTO_QUEUE} WHERE r.id = $1`, 'retried'),
      values: [id, audio.storageKey, audio.sizeBytes, audio.fileName],
    })
    await planRemoval(sql, rows[0].key)
    return rows[0].key
  })
  core.notify('transcription')
  await removeFile(core, old)
}
