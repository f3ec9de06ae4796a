import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import type { Config } from '../../platform/config/config.ts'
import { isEmailOn, type EmailFrequency } from '../email/values.ts'
import type { NotificationSettingsJson } from './schema.ts'
import { NOTIFICATION_KINDS } from './values.ts'

/** Loads which notifications a person gets. Without a row, it is all of them, and none by e-mail. */
export async function loadNotificationSettings(
  sql: Sql,
  config: Config,
  { person }: PersonActor,
): Promise<NotificationSettingsJson> {
  const { rows } = await sql.query<{ muted: string[]; email: EmailFrequency }>({
    text: 'SELECT muted, email FROM notification_settings WHERE person_id = $1',
    values: [person.id],
  })
  const { muted, email } = rows[0] ?? { muted: [], email: 'none' }
  const kinds = NOTIFICATION_KINDS.map((kind) => [kind, !muted.includes(kind)])
  return {
    kinds: Object.fromEntries(kinds) as NotificationSettingsJson['kinds'],
    email,
    emailAvailable: isEmailOn(config),
  }
}

export function saveNotificationSettings(
  { db, config }: Core,
  actor: PersonActor,
  { kinds, email }: Pick<NotificationSettingsJson, 'kinds'> & { email?: EmailFrequency },
): Promise<NotificationSettingsJson> {
  return runInTransaction(db, async (sql) => {
    const before = await loadNotificationSettings(sql, config, actor)
    await sql.query({
      text: `INSERT INTO notification_settings (person_id, muted, email) VALUES ($1, $2, $3)
             ON CONFLICT (person_id) DO UPDATE SET muted = excluded.muted, email = excluded.email`,
      values: [actor.person.id, NOTIFICATION_KINDS.filter((kind) => !kinds[kind]), email ?? before.email],
    })
    const after = await loadNotificationSettings(sql, config, actor)
    const details = diffProperties(pickAuditFields(before), pickAuditFields(after))
    if (Object.keys(details.after).length > 0)
      await recordAuditChange(sql, actor, { action: 'notifications.settings', details })
    return after
  })
}

const pickAuditFields = ({ kinds, email }: NotificationSettingsJson) => ({
  notificationKinds: NOTIFICATION_KINDS.filter((kind) => kinds[kind]),
  emails: email,
})
