import { PERSON_SEES_RECORDING_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, type SqlCondition } from '../../platform/lib/sql-conditions.ts'
import { EMAIL_DELAY_SQL } from '../email/values.ts'
import type { NotificationKind } from './values.ts'

interface NewNotification {
  kind: NotificationKind
  /** Identifies the event. A person gets one notification of each kind about it, also if the event is repeated. */
  cause: string
  recordingId?: string
  commentId?: string
  assignmentId?: string
  viewId?: string
  /** The person who caused it, and who gets none. */
  actorId?: string
  /** Data of the event for the list. The list reads texts of comments and assignments from their rows. */
  details?: object
}

/**
 * Notifies the active people p who meet the condition, want this kind and see its recording r, and queues e-mails for those who
 * want them at once. Call it in the transaction of the event, so that a crash loses all of this or nothing.
 */
export async function notifyPeople(sql: Sql, notification: NewNotification, condition: SqlCondition): Promise<void> {
  const { kind, cause, recordingId, commentId, assignmentId, viewId, actorId, details = {} } = notification
  const people = await listRecipients(sql, notification, condition)
  if (people.length === 0) return
  await sql.query({
    text: `WITH written AS (
             INSERT INTO notifications (id, person_id, kind, cause, recording_id, comment_id, assignment_id, view_id, actor_id,
                                        details, email_id)
             SELECT n.id, n.person_id, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN s.email = 'immediate' THEN n.id END
               FROM unnest($1::uuid[], $2::uuid[]) AS n (id, person_id)
               LEFT JOIN notification_settings s ON s.person_id = n.person_id
             ON CONFLICT (person_id, kind, cause) DO NOTHING RETURNING email_id, person_id)
           INSERT INTO notification_emails (id, person_id, next_attempt_at)
           SELECT email_id, person_id, now() + ${EMAIL_DELAY_SQL} FROM written WHERE email_id IS NOT NULL`,
    values: [
      people.map(generateId),
      people,
      kind,
      cause,
      recordingId,
      commentId,
      assignmentId,
      viewId,
      actorId,
      JSON.stringify(details),
    ],
  })
}

async function listRecipients(
  sql: Sql,
  { kind, recordingId, actorId }: NewNotification,
  condition: SqlCondition,
): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT p.id FROM people p LEFT JOIN recordings r ON r.id = ${p.add(recordingId ?? null)}::uuid
            WHERE p.active AND p.id IS DISTINCT FROM ${p.add(actorId ?? null)}::uuid AND ${p.and([condition])}
              AND (r.id IS NULL OR ${PERSON_SEES_RECORDING_SQL})
              AND NOT EXISTS (SELECT FROM notification_settings s
                               WHERE s.person_id = p.id AND ${p.add(kind)}::text = ANY(s.muted))
            ORDER BY p.id`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Notifications and their e-mails are deleted after this time, read or not. */
const MAX_AGE_SQL = `interval '90 days'`

export async function deleteOldNotifications({ pool }: Core): Promise<void> {
  await pool.query({ text: `DELETE FROM notifications WHERE created_at < now() - ${MAX_AGE_SQL}` })
  await pool.query({ text: `DELETE FROM notification_emails WHERE created_at < now() - ${MAX_AGE_SQL}` })
}
