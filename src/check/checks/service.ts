import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { difference, recordChange } from '../../platform/audit/record.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { askAgain } from './checks.ts'
import type { SettingsChange, SettingsJson } from './schema.ts'
import { DEFAULT_AGENT_CHANNEL, loadSpeakers } from '../../calls/transcripts/speakers.ts'

const NAME = 'analysis'

/** The default: most exchanges put their own side first. */
const UNSET: SettingsJson = { agentChannel: { default: DEFAULT_AGENT_CHANNEL }, automatic: false }

/** The settings of the call check. */
export async function loadSettings(sql: Sql): Promise<SettingsJson> {
  const { rows } = await sql.query<{ value: SettingsJson }>({
    text: 'SELECT value FROM settings WHERE name = $1',
    values: [NAME],
  })
  return { ...UNSET, ...rows[0]?.value }
}

/** Replaces the settings and records the changes. */
export const saveSettings = ({ db }: Core, actor: Actor, settings: SettingsChange): Promise<SettingsJson> =>
  transaction(db, (sql) => changeRow(sql, actor, ({ automatic }) => ({ automatic, ...settings })))

/** Switches automatic checking on in the transaction that enables the CRM automation, unless the provider is none. */
export async function switchOnChecks(sql: Sql, { ANALYSIS_PROVIDER }: Config, actor: Actor): Promise<void> {
  if (ANALYSIS_PROVIDER === 'none') return
  await changeRow(sql, actor, (before) => ({ ...before, automatic: true }))
}

async function changeRow(sql: Sql, actor: Actor, change: (before: SettingsJson) => SettingsJson) {
  // Serialises changes, so that the audit log records each with the right old values.
  await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
  const before = await loadSettings(sql)
  const after = change(before)
  await sql.query({
    text: `INSERT INTO settings (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()`,
    values: [NAME, JSON.stringify(after)],
  })
  const details = difference(before, after)
  if (Object.keys(details.after).length > 0) {
    const object = { type: 'settings', id: NAME, name: NAME } as const
    await recordChange(sql, actor, { action: 'settings.change', object, details })
  }
  return after
}

/** Sets the agent's channel of a call and checks it again; null restores the setting of its source. @throws HttpError 404 */
export async function saveSpeakers(core: Core, actor: Actor, id: string, agentChannel: 0 | 1 | null) {
  const speakers = await transaction(core.db, async (sql) => {
    const before = await loadSpeakers(sql, actor, id, 'FOR NO KEY UPDATE OF r')
    await sql.query({ text: 'UPDATE recordings SET agent_channel = $2 WHERE id = $1', values: [id, agentChannel] })
    const after = await loadSpeakers(sql, actor, id)
    if (before.agentChannel !== after.agentChannel || before.setFor !== after.setFor) {
      const object = { type: 'recording', id: id.toLowerCase() } as const
      await recordChange(sql, actor, { action: 'recording.speakers', object, details: { before, after } })
    }
    // The agent's side has changed, so every rule about one side must be judged again.
    if (before.agentChannel !== after.agentChannel) await checkAnew(core, sql, id)
    return after
  })
  core.notify('analysis')
  return speakers
}

async function checkAnew({ config }: Core, sql: Sql, id: string): Promise<void> {
  const { rows } = await sql.query({ text: 'SELECT FROM analyses WHERE recording_id = $1 LIMIT 1', values: [id] })
  if (rows.length > 0 && config.ANALYSIS_PROVIDER !== 'none') await askAgain(sql, id)
}
