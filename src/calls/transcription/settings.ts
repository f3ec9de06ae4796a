import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { TranscriptionSettingsJson } from './schema.ts'

/** The row of `settings`. */
const SETTINGS_NAME = 'transcription'

/** Telling the speakers of one channel apart takes about 0.01 core-seconds per second of audio. */
const DEFAULT_SETTINGS: TranscriptionSettingsJson = { separateSpeakers: true }

/** SQL: whether the speakers of a call on one channel are separated. */
export const SEPARATE_SPEAKERS_SQL = `
  coalesce((SELECT (s.value ->> 'separateSpeakers')::boolean FROM settings s WHERE s.name = '${SETTINGS_NAME}'),
           ${DEFAULT_SETTINGS.separateSpeakers})`

/** The settings of the transcription. */
export async function loadTranscriptionSettings(sql: Sql): Promise<TranscriptionSettingsJson> {
  const { rows } = await sql.query<{ value: TranscriptionSettingsJson }>({
    text: 'SELECT value FROM settings WHERE name = $1',
    values: [SETTINGS_NAME],
  })
  return { ...DEFAULT_SETTINGS, ...rows[0]?.value }
}

/** Replaces the settings and records the changes. */
export function saveTranscriptionSettings(
  { db }: Core,
  actor: Actor,
  settings: TranscriptionSettingsJson,
): Promise<TranscriptionSettingsJson> {
  return runInTransaction(db, async (sql) => {
    // Serialises changes, so that the audit log records each with the right old values.
    await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
    const details = diffProperties(await loadTranscriptionSettings(sql), settings)
    await sql.query({
      text: `INSERT INTO settings (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()`,
      values: [SETTINGS_NAME, JSON.stringify(settings)],
    })
    if (Object.keys(details.after).length > 0) {
      const object = { type: 'settings', id: SETTINGS_NAME, name: SETTINGS_NAME } as const
      await recordAuditChange(sql, actor, { action: 'settings.change', object, details })
    }
    return settings
  })
}
