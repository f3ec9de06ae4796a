import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { AnalysisSettingsChange, AnalysisSettingsJson } from './schema.ts'
import { DEFAULT_AGENT_CHANNEL } from '../../calls/transcripts/speakers.ts'

const SETTINGS_NAME = 'analysis'

/** Most phone systems record their own side on the first channel. */
const DEFAULT_SETTINGS: AnalysisSettingsJson = { agentChannel: { default: DEFAULT_AGENT_CHANNEL }, automatic: false }

/** Loads the settings of the call check, with defaults for missing values. */
export async function loadAnalysisSettings(sql: Sql): Promise<AnalysisSettingsJson> {
  const { rows } = await sql.query<{ value: AnalysisSettingsJson }>({
    text: 'SELECT value FROM settings WHERE name = $1',
    values: [SETTINGS_NAME],
  })
  return { ...DEFAULT_SETTINGS, ...rows[0]?.value }
}

/** Replaces the settings of the call check and records the changes in the audit log. An omitted `automatic` keeps its value. */
export const saveAnalysisSettings = (
  { db }: Core,
  actor: Actor,
  settings: AnalysisSettingsChange,
): Promise<AnalysisSettingsJson> =>
  runInTransaction(db, (sql) => updateSettings(sql, actor, ({ automatic }) => ({ automatic, ...settings })))

/** Turns automatic checks on in the transaction that turns on the CRM automation. It does nothing if the provider is none. */
export async function enableAutomaticChecks(sql: Sql, { ANALYSIS_PROVIDER }: Config, actor: Actor): Promise<void> {
  if (ANALYSIS_PROVIDER === 'none') return
  await updateSettings(sql, actor, (before) => ({ ...before, automatic: true }))
}

async function updateSettings(sql: Sql, actor: Actor, change: (before: AnalysisSettingsJson) => AnalysisSettingsJson) {
  // The lock serializes changes, so that the audit log records the correct old values.
  await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
  const before = await loadAnalysisSettings(sql)
  const after = change(before)
  await sql.query({
    text: `INSERT INTO settings (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()`,
    values: [SETTINGS_NAME, JSON.stringify(after)],
  })
  const details = diffProperties(before, after)
  if (Object.keys(details.after).length > 0) {
    const object = { type: 'settings', id: SETTINGS_NAME, name: SETTINGS_NAME } as const
    await recordAuditChange(sql, actor, { action: 'settings.change', object, details })
  }
  return after
}
