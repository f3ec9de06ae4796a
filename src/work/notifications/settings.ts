import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import type { NotificationSettingsJson } from './schema.ts'
import { NOTIFICATION_KINDS } from './values.ts'

/** Loads which kinds of notifications a person gets. Without a row, it is all of them. */
export async function loadNotificationSettings(sql: Sql, { person }: PersonActor): Promise<NotificationSettingsJson> {
  const { rows } = await sql.query<{ muted: string[] }>({
    text: 'SELECT muted FROM notification_settings WHERE person_id = $1',
    values: [person.id],
  })
  const muted = rows[0]?.muted ?? []
  const kinds = NOTIFICATION_KINDS.map((kind) => [kind, !muted.includes(kind)])
  return { kinds: Object.fromEntries(kinds) as NotificationSettingsJson['kinds'] }
}

export function saveNotificationSettings(
  { db }: Core,
  actor: PersonActor,
  settings: NotificationSettingsJson,
): Promise<NotificationSettingsJson> {
  return runInTransaction(db, async (sql) => {
    const before = await loadNotificationSettings(sql, actor)
    await sql.query({
      text: `INSERT INTO notification_settings (person_id, muted) VALUES ($1, $2)
             ON CONFLICT (person_id) DO UPDATE SET muted = excluded.muted`,
      values: [actor.person.id, NOTIFICATION_KINDS.filter((kind) => !settings.kinds[kind])],
    })
    const details = diffProperties(before.kinds, settings.kinds)
    if (Object.keys(details.after).length > 0)
      await recordAuditChange(sql, actor, { action: 'notifications.settings', details })
    return loadNotificationSettings(sql, actor)
  })
}
