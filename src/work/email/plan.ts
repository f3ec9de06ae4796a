import type { Core } from '../../platform/core.ts'
import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { notificationsQueue } from './queue.ts'
import { DAILY_EMAIL_HOUR, isEmailOn } from './values.ts'

/**
 * Queues the daily e-mails: one for each person and local day, if they have unread notifications that no e-mail contains.
 * Without a mail server, cancels the e-mails that wait, so that none is sent late when one is configured.
 */
export async function planEmails(core: Core): Promise<void> {
  if (!isEmailOn(core.config)) return cancelWaitingEmails(core)
  // A day more than the last one, for notifications whose transaction was not committed when the last e-mail was planned.
  const { rowCount } = await core.pool.query({
    text: `WITH today AS (SELECT (now() AT TIME ZONE $1 - $2 * interval '1 hour')::date AS day),
           due AS (
             SELECT n.id, n.person_id, t.day
               FROM today t CROSS JOIN notifications n
               JOIN notification_settings s ON s.person_id = n.person_id AND s.email = 'daily'
               JOIN people p ON p.id = n.person_id AND p.active
              WHERE n.read_at IS NULL AND n.email_id IS NULL
                AND n.created_at < (t.day + $2 * interval '1 hour') AT TIME ZONE $1
                AND n.created_at >= (t.day - 2 + $2 * interval '1 hour') AT TIME ZONE $1
                AND NOT EXISTS (SELECT FROM notification_emails e WHERE e.person_id = n.person_id AND e.day = t.day)
                FOR UPDATE OF n SKIP LOCKED),
           planned AS (
             INSERT INTO notification_emails (id, person_id, day)
             SELECT DISTINCT ON (person_id) id, person_id, day FROM due ORDER BY person_id, id
             ON CONFLICT DO NOTHING RETURNING id, person_id)
           UPDATE notifications n SET email_id = e.id FROM due d JOIN planned e ON e.person_id = d.person_id WHERE n.id = d.id`,
    values: [core.config.APP_TIMEZONE, DAILY_EMAIL_HOUR],
  })
  if (rowCount! > 0) core.notify(notificationsQueue.name)
}

async function cancelWaitingEmails({ pool }: Core): Promise<void> {
  await pool.query({
    text: `UPDATE notification_emails SET status = 'CANCELLED', finished_at = now() WHERE status = 'QUEUED'`,
  })
}

/** Loads the last failed e-mail or pause of the queue, for GET /v1/system; null if there is none. */
export async function loadLastEmailFailure({ pool }: Core): Promise<{ at: string; reason: string } | null> {
  const { rows } = await pool.query<{ at: Date; reason: string; messageJson: StoredReason | null }>({
    text: `SELECT finished_at AS at, last_error AS reason, message_json AS "messageJson"
             FROM notification_emails WHERE status = 'FAILED'
           UNION ALL
           SELECT paused_at, reason, message_json FROM paused_queues WHERE name = $1 AND reason IS NOT NULL
            ORDER BY at DESC LIMIT 1`,
    values: [notificationsQueue.name],
  })
  const [last] = rows
  return last ? { at: last.at.toISOString(), reason: formatReason(last.reason, last.messageJson) } : null
}
