import type { Sql } from '../../platform/db/sql.ts'
import { ADVISORY_LOCK_KEYS, tryAdvisoryLock } from '../../platform/db/advisory-locks.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { isCommentWritingOn } from '../automation/state.ts'

/** Calls that are older get no first comment. */
const MAX_CALL_AGE_SQL = `interval '30 days'`

/** Reads the changes of this time before the last plan again, because a transaction can commit its changes late. */
const OVERLAP_SQL = `interval '2 minutes'`

/** A comment written during a check would have to change at once. */
const IS_BEING_CHECKED_SQL = `EXISTS (SELECT FROM analyses a WHERE a.recording_id = r.id AND a.status IN ('QUEUED', 'PROCESSING'))`

const IS_LINKED_SQL = `EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND l.deal_id = c.deal_id AND NOT l.ambiguous)`

/** Excludes missing deals, and merged deals, whose comments the portal moved to the remaining deal. */
const dealExistsCondition = (deal: string) =>
  `EXISTS (SELECT FROM crm_deals d WHERE d.id = ${deal} AND d.missed_at IS NULL AND d.merged_into IS NULL)`
const DEAL_EXISTS_SQL = dealExistsCondition('c.deal_id')

const REQUEUE_SQL = `status = 'QUEUED', attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL`

/**
 * While writing is on, queues a comment for each certain deal of each transcribed call since writing was enabled. It queues an
 * update if the check changed, or if the call moved to another deal or back.
 * @param page the maximum number of changed checks, and of changed deal searches, per transaction
 */
export async function planCrmComments(core: Core, page = 1000): Promise<void> {
  if (!core.config.CRM_WRITE_WEBHOOK_URL || !(await isCommentWritingOn(core))) return
  for (let hasMore = true; hasMore;) hasMore = await planPage(core, page)
}

/** @returns true if there are more changes; false also if another worker is planning */
async function planPage(core: Core, page: number): Promise<boolean> {
  let planned = 0
  const hasMore = await runInTransaction(core.db, async (sql) => {
    // Only one worker plans at a time. The others skip the work.
    if (!(await tryAdvisoryLock(sql, ADVISORY_LOCK_KEYS.planComments))) return false
    const { isLast, ...span } = await loadNextSpan(sql, page)
    planned =
      (await insertMovedComments(sql, span)) +
      (await requeueChangedComments(sql, span)) +
      (await requeueMovedComments(sql, span))
    if (isLast)
      planned +=
        (await insertNewComments(sql)) + (await requeueChangedComments(sql)) + (await requeueMovedComments(sql))
    // Update this row last, because its lock would keep an owner from pausing the automation.
    await sql.query({ text: 'UPDATE crm_automation SET comments_planned_at = $1', values: [span.until] })
    return !isLast
  })
  if (planned > 0) core.notify('crm-write')
  return hasMore
}

/** A range of changes, excluding `since`. Times are Postgres texts, because a Date would lose microseconds. */
interface ChangeSpan {
  since: string
  until: string
}

/** Returns the next range of changes. The first range starts with the first comment. */
async function loadNextSpan(sql: Sql, page: number): Promise<ChangeSpan & { isLast: boolean }> {
  const { rows } = await sql.query<ChangeSpan & { isLast: boolean }>({
    text: `WITH mark AS (SELECT coalesce(comments_planned_at, (SELECT min(created_at) FROM crm_comments), now()) AS at
                           FROM crm_automation),
           behind AS (
             SELECT least(
               (SELECT changed_at FROM analyses WHERE is_current AND changed_at > (SELECT at FROM mark)
                 ORDER BY changed_at OFFSET $1 LIMIT 1),
               (SELECT matched_at FROM crm_matches WHERE state IN ('linked', 'manual') AND matched_at > (SELECT at FROM mark)
                 ORDER BY matched_at OFFSET $1 LIMIT 1)) AS at)
           SELECT (mark.at - ${OVERLAP_SQL})::text AS since, least(behind.at, now())::text AS until,
                  coalesce(behind.at >= now(), true) AS "isLast" FROM mark, behind`,
    values: [page - 1],
  })
  return rows[0]!
}

async function insertNewComments(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_comments (recording_id, deal_id)
           SELECT l.recording_id, l.deal_id
             FROM crm_automation w, recordings r JOIN crm_call_deals l ON l.recording_id = r.id AND NOT l.ambiguous
            WHERE r.call_at >= greatest(w.writing_since, now() - ${MAX_CALL_AGE_SQL}) AND ${CAN_INSERT_SQL}
           ON CONFLICT DO NOTHING`,
  })
  return rowCount!
}

/** Inserts comments for the new deals of calls that already have a comment, including old calls. */
async function insertMovedComments(sql: Sql, { since, until }: ChangeSpan): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_comments (recording_id, deal_id)
           SELECT l.recording_id, l.deal_id
             FROM (SELECT recording_id FROM crm_matches
                    WHERE matched_at > $1 AND matched_at <= $2 AND state IN ('linked', 'manual')
                   UNION SELECT recording_id FROM analyses WHERE is_current AND changed_at > $1 AND changed_at <= $2) s
                  JOIN recordings r ON r.id = s.recording_id
                  JOIN crm_call_deals l ON l.recording_id = r.id AND NOT l.ambiguous
            WHERE ${CAN_INSERT_SQL} AND EXISTS (SELECT FROM crm_comments o WHERE o.recording_id = r.id AND o.status = 'SENT')
           ON CONFLICT DO NOTHING`,
    values: [since, until],
  })
  return rowCount!
}

const CAN_INSERT_SQL = `r.status = 'DONE' AND NOT ${IS_BEING_CHECKED_SQL} AND ${dealExistsCondition('l.deal_id')}
              AND NOT EXISTS (SELECT FROM crm_comments c WHERE c.recording_id = l.recording_id AND c.deal_id = l.deal_id)`

const IS_RECENT_SQL = `r.call_at > now() - ${MAX_CALL_AGE_SQL}`

/** @param span limits the changes of checks; without it, all checks of recent calls count */
async function requeueChangedComments(sql: Sql, span?: ChangeSpan): Promise<number> {
  const { rowCount } = await sql.query({
    text: `UPDATE crm_comments c SET ${REQUEUE_SQL} FROM recordings r JOIN analyses n ON n.recording_id = r.id AND n.is_current
            WHERE c.status = 'SENT' AND r.id = c.recording_id AND r.status = 'DONE' AND n.changed_at > c.sent_at
              AND c.left_at IS NULL AND ${span ? 'n.changed_at > $1 AND n.changed_at <= $2' : IS_RECENT_SQL} AND NOT ${IS_BEING_CHECKED_SQL}`,
    values: span && [span.since, span.until],
  })
  return rowCount!
}

/**
 * Requeues comments whose call moved to another deal or back.
 * @param span considers calls whose deal search changed in this time; without it, all recent calls
 */
async function requeueMovedComments(sql: Sql, span?: ChangeSpan): Promise<number> {
  const { rowCount } = await sql.query({
    text: `UPDATE crm_comments c SET ${REQUEUE_SQL}
             FROM recordings r JOIN crm_matches m ON m.recording_id = r.id AND m.state IN ('linked', 'manual')
            WHERE r.id = c.recording_id AND ${span ? 'm.matched_at > $1 AND m.matched_at <= $2' : IS_RECENT_SQL}
              AND (c.status = 'SENT' AND c.left_at IS NULL AND NOT ${IS_LINKED_SQL} AND ${DEAL_EXISTS_SQL}
                OR (c.status = 'CANCELLED' OR c.status = 'SENT' AND c.left_at IS NOT NULL) AND ${IS_LINKED_SQL} AND ${DEAL_EXISTS_SQL})`,
    values: span && [span.since, span.until],
  })
  return rowCount!
}
