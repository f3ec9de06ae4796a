import { PERSON_SEES_RECORDING_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, type SqlCondition } from '../../platform/lib/sql-conditions.ts'
import { EMAIL_DELAY_SQL } from '../email/values.ts'
import type { NotificationKind } from './values.ts'

interface NewNotification {
  kind: NotificationKind
  commentId?: string
  assignmentId?: string
  viewId?: string
  /** The person who caused it, and who gets none. */
  actorId?: string
  /** Data of the event for the list. The list reads texts of comments and assignments from their rows. */
  details?: object
}

interface NotificationEvent {
  /** Identifies the event. A person gets one notification of each kind about it, also if the event is repeated. */
  cause: string
  recordingId?: string
}

/**
 * Notifies the active people p who meet the condition, want this kind and see its recording r, and queues e-mails for those who
 * want them at once. Call it in the transaction of the event, so that a crash loses all of this or nothing.
 */
export const notifyPeople = (
  sql: Sql,
  { cause, recordingId, ...notification }: NewNotification & NotificationEvent,
  condition: SqlCondition,
): Promise<void> => notifyPeopleAboutCalls(sql, notification, [{ cause, recordingId }], condition)

/** Like notifyPeople(), for several events at once. */
export async function notifyPeopleAboutCalls(
  sql: Sql,
  notification: NewNotification,
  events: NotificationEvent[],
  condition: SqlCondition,
): Promise<void> {
  const { kind, commentId, assignmentId, viewId, actorId, details = {} } = notification
  const recipients = await listRecipients(sql, notification, events, condition)
  if (recipients.length === 0) return
  await sql.query({
    text: `WITH written AS (
             INSERT INTO notifications (id, person_id, kind, cause, recording_id, comment_id, assignment_id, view_id, actor_id,
                                        details, email_id)
             SELECT n.id, n.person_id, $5, n.cause, n.recording_id, $6, $7, $8, $9, $10,
                    CASE WHEN s.email = 'immediate' THEN n.id END
               FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) AS n (id, person_id, cause, recording_id)
               LEFT JOIN notification_settings s ON s.person_id = n.person_id
             ON CONFLICT (person_id, kind, cause) DO NOTHING RETURNING email_id, person_id)
           INSERT INTO notification_emails (id, person_id, next_attempt_at)
           SELECT email_id, person_id, now() + ${EMAIL_DELAY_SQL} FROM written WHERE email_id IS NOT NULL`,
    values: [
      recipients.map(generateId),
      recipients.map(({ personId }) => personId),
      recipients.map(({ cause }) => cause),
      recipients.map(({ recordingId }) => recordingId),
      kind,
      commentId,
      assignmentId,
      viewId,
      actorId,
      JSON.stringify(details),
    ],
  })
}

interface Recipient {
  personId: string
  cause: string
  recordingId: string | null
}

/** Lists the people to notify, each with their events. */
async function listRecipients(
  sql: Sql,
  { kind, actorId }: NewNotification,
  events: NotificationEvent[],
  condition: SqlCondition,
): Promise<Recipient[]> {
  const p = new SqlParameters()
  const causes = p.add(events.map(({ cause }) => cause))
  const recordingIds = p.add(events.map(({ recordingId }) => recordingId ?? null))
  const { rows } = await sql.query<Recipient>({
    text: `SELECT p.id AS "personId", e.cause, r.id AS "recordingId"
             FROM people p CROSS JOIN unnest(${causes}::text[], ${recordingIds}::uuid[]) AS e (cause, recording_id)
             LEFT JOIN recordings r ON r.id = e.recording_id
            WHERE p.active AND p.id IS DISTINCT FROM ${p.add(actorId ?? null)}::uuid AND ${p.and([condition])}
              AND (e.recording_id IS NULL OR r.id IS NOT NULL AND ${PERSON_SEES_RECORDING_SQL})
              AND NOT EXISTS (SELECT FROM notification_settings s
                               WHERE s.person_id = p.id AND ${p.add(kind)}::text = ANY(s.muted))
            ORDER BY p.id, r.id`,
    values: p.values,
  })
  return rows
}

/** Notifications and their e-mails are deleted after this time, read or not. */
const MAX_AGE_SQL = `interval '90 days'`

export async function deleteOldNotifications({ pool }: Core): Promise<void> {
  await pool.query({ text: `DELETE FROM notifications WHERE created_at < now() - ${MAX_AGE_SQL}` })
  await pool.query({ text: `DELETE FROM notification_emails WHERE created_at < now() - ${MAX_AGE_SQL}` })
}
