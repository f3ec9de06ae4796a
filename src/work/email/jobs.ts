import { PERSON_SEES_SHARED_SQL } from '../sharing.ts'
import { PERSON_SEES_RECORDING_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { LanguageCode } from '../../platform/lib/messages.ts'
import { JobClaimLostError, type JobClaim } from '../../platform/queue/queue.ts'
import { SEES_REPORTS_SQL } from '../notifications/causes.ts'
import type { KindCounts } from './compose.ts'

/** A claimed e-mail and its receiver. */
interface ClaimedEmail {
  address: string
  language: LanguageCode | null
  possiblySent: boolean
  /** When this row was read, by the clock of the database. */
  readAt: Date
}

/**
 * Loads a claimed e-mail. Unless it is a daily one, it also takes over the waiting ones of its person, so that events in quick
 * succession share one e-mail. @throws JobClaimLostError
 */
export function loadClaimedEmail({ db }: Core, { id, token }: JobClaim): Promise<ClaimedEmail> {
  return runInTransaction(db, async (sql) => {
    const { rows } = await sql.query<ClaimedEmail & { personId: string; isDaily: boolean }>({
      text: `SELECT p.id AS "personId", p.email AS address, p.language, e.possibly_sent AS "possiblySent",
                    e.day IS NOT NULL AS "isDaily", now() AS "readAt"
               FROM notification_emails e JOIN people p ON p.id = e.person_id
              WHERE e.id = $1 AND e.attempt_token = $2 AND e.status = 'PROCESSING' FOR UPDATE OF e`,
      values: [id, token],
    })
    const email = rows[0]
    if (!email) throw new JobClaimLostError()
    if (!email.isDaily && !email.possiblySent) await mergeWaitingEmails(sql, id, email.personId)
    return email
  })
}

async function mergeWaitingEmails(sql: Sql, id: string, personId: string): Promise<void> {
  await sql.query({
    text: `WITH waiting AS (
             SELECT id FROM notification_emails
              WHERE person_id = $2 AND status = 'QUEUED' AND day IS NULL AND NOT possibly_sent FOR UPDATE SKIP LOCKED)
           UPDATE notification_emails SET status = 'MERGED', merged_into = $1, finished_at = now()
            WHERE id IN (SELECT id FROM waiting) OR merged_into IN (SELECT id FROM waiting)`,
    values: [id, personId],
  })
}

/**
 * Counts the unread notifications of an e-mail about calls and reports that the person sees now. Without e-mails in their
 * settings, or if they are deactivated, there are none.
 */
export async function countEmailNotifications(sql: Sql, id: string): Promise<KindCounts> {
  const { rows } = await sql.query<KindCounts[number]>({
    text: `SELECT n.kind, count(*)::int AS count
             FROM notification_emails e JOIN notifications n ON n.email_id = e.id JOIN people p ON p.id = n.person_id
             JOIN notification_settings s ON s.person_id = p.id LEFT JOIN recordings r ON r.id = n.recording_id
            WHERE (e.id = $1 OR e.merged_into = $1) AND n.read_at IS NULL AND p.active AND s.email <> 'none'
              AND CASE WHEN n.kind = 'weeklyReport' THEN ${SEES_REPORTS_SQL} ELSE ${PERSON_SEES_RECORDING_SQL} END
              AND (n.view_id IS NULL OR EXISTS (SELECT FROM saved_views s WHERE s.id = n.view_id AND ${PERSON_SEES_SHARED_SQL}))
            GROUP BY n.kind ORDER BY n.kind`,
    values: [id],
  })
  return rows
}

/**
 * Records whether the mail server can have the e-mail. Call it with true before the text is sent, and with false after the server
 * rejected the text. @throws JobClaimLostError
 */
export async function setPossiblySent(sql: Sql, { id, token }: JobClaim, value: boolean): Promise<void> {
  const { rowCount } = await sql.query({
    text: `UPDATE notification_emails SET possibly_sent = $3
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token, value],
  })
  if (rowCount !== 1) throw new JobClaimLostError()
}

/** Returns whether the mail server can have the e-mail, although the service got no response. */
export async function isPossiblySent(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: 'SELECT FROM notification_emails WHERE id = $1 AND possibly_sent',
    values: [id],
  })
  return rowCount === 1
}
