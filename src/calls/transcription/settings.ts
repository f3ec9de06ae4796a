import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { TranscriptionSettingsJson } from './schema.ts'

/** The name of the row in the table settings. */
const SETTINGS_NAME = 'transcription'

/** Speakers are separated by default, because this takes only about 0.01 core-seconds per second of audio. */
const DEFAULT_SETTINGS: TranscriptionSettingsJson = { separateSpeakers: true }

/** SQL expression for the setting separateSpeakers, with its default. */
export const SEPARATE_SPEAKERS_SQL = `
  coalesce((SELECT (s.value ->> 'separateSpeakers')::boolean FROM settings s WHERE s.name = '${SETTINGS_NAME}'),
           ${DEFAULT_SETTINGS.separateSpeakers})`

/** Loads the settings of the transcription, with defaults for missing ones. */
export async function loadTranscriptionSettings(sql: Sql): Promise<TranscriptionSettingsJson> {
  const { rows } = await sql.query<{ value: TranscriptionSettingsJson }>({
    text: 'SELECT value FROM settings WHERE name = $1',
    values: [SETTINGS_NAME],
  })
  return { ...DEFAULT_SETTINGS, ...rows[0]?.value }
}

/** Replaces the settings, records the changes in the audit log and returns the new settings. */
export function saveTranscriptionSettings(
  { db }: Core,
  actor: Actor,
  settings: TranscriptionSettingsJson,
): Promise<TranscriptionSettingsJson> {
  return runInTransaction(db, async (sql) => {
    // The lock serializes changes, so that the audit log records the correct old values.
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
