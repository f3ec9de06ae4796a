import type { CheckListener, DecisionEvent, EventRule, UndoEvent } from '../../check/listener.ts'
import { IS_CALL_MANAGER_SQL } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notifyPeople, notifyPeopleAboutCalls } from './store.ts'

/** Older calls, such as those of a loaded history, cause no notification of a critical miss. */
const MAX_MISS_AGE_SQL = `interval '7 days'`

/** Selects people p by rights that owners have implicitly. */
export const CAN_REVIEW_SQL = `(p.role = 'owner' OR p.role = 'head' AND p.rights @> '{"editRules": true}')`
export const SEES_REPORTS_SQL = `(p.role = 'owner' OR p.rights @> '{"analytics": true}')`

/** SQL for the active heads h of the department of the recording r. */
const CALL_HEADS_SQL = `
  SELECT h.id FROM people h JOIN person_departments b ON b.person_id = h.id
    JOIN department_managers m ON m.department_id = b.department_id
   WHERE m.manager_id = r.manager_id AND h.role = 'head' AND h.active`

interface WrittenComment {
  id: string
  recordingId: string
  authorId: string
}

export const notifyMentionedPeople = (sql: Sql, comment: WrittenComment, people: string[]): Promise<void> =>
  notifyPeople(sql, { ...toNotification(comment), kind: 'mention' }, { sql: 'p.id = ANY(?::uuid[])', values: [people] })

/** Deletes the unread notifications of people whom the comment no longer mentions. */
export async function deleteMentionNotifications(sql: Sql, commentId: string, people: string[]): Promise<void> {
  await sql.query({
    text: `DELETE FROM notifications
            WHERE kind = 'mention' AND comment_id = $1 AND person_id = ANY($2::uuid[]) AND read_at IS NULL`,
    values: [commentId, people],
  })
}

/** Notifies the manager of the call and the author of the thread, unless the comment mentions them. */
export const notifyAboutComment = (
  sql: Sql,
  comment: WrittenComment,
  threadAuthorId: string | undefined,
  mentions: string[],
): Promise<void> =>
  notifyPeople(
    sql,
    { ...toNotification(comment), kind: 'comment' },
    {
      sql: `(p.id = ?::uuid OR ${IS_CALL_MANAGER_SQL}) AND p.id <> ALL(?::uuid[])`,
      values: [threadAuthorId ?? null, mentions],
    },
  )

const toNotification = ({ id, recordingId, authorId }: WrittenComment) => ({
  cause: id,
  recordingId,
  commentId: id,
  actorId: authorId,
})

/** Notifies the person who hears the call. */
export const notifyAssignee = (
  sql: Sql,
  { id, recordingId, personId, creatorId }: { id: string; recordingId: string; personId: string; creatorId: string },
): Promise<void> =>
  notifyPeople(
    sql,
    { kind: 'assignment', cause: id, recordingId, assignmentId: id, actorId: creatorId },
    { sql: 'p.id = ?::uuid', values: [personId] },
  )

/** Marks the notification of an assignment as read, because the call was heard. */
export async function markAssignmentNotificationRead(sql: Sql, assignmentId: string): Promise<void> {
  await sql.query({
    text: `UPDATE notifications SET read_at = now() WHERE kind = 'assignment' AND cause = $1 AND read_at IS NULL`,
    values: [assignmentId],
  })
}

/** Notifies the people who can decide about the verdict. */
export const notifyAboutDispute: NonNullable<CheckListener['verdictDisputed']> = (
  sql,
  { recordingId, reviewId, person, rule, comment },
) =>
  notifyPeople(
    sql,
    { kind: 'dispute', cause: reviewId, recordingId, actorId: person.id, details: { rule, text: comment } },
    { sql: CAN_REVIEW_SQL, values: [] },
  )

/** Notifies the people whose disputes the decision answers, and marks these disputes as read for everybody. */
export async function notifyAboutDecision(
  sql: Sql,
  { recordingId, reviewId, person, rule, comment, verdict, disputes }: DecisionEvent,
): Promise<void> {
  await sql.query({
    text: `UPDATE notifications SET read_at = now() WHERE kind = 'dispute' AND cause = ANY($1::text[]) AND read_at IS NULL`,
    values: [disputes.map((dispute) => dispute.reviewId)],
  })
  await notifyPeople(
    sql,
    { kind: 'decision', cause: reviewId, recordingId, actorId: person.id, details: { rule, verdict, text: comment } },
    { sql: 'p.id = ANY(?::uuid[])', values: [disputes.map(({ personId }) => personId)] },
  )
}

/** Deletes the notifications of an undone decision. The disputes that wait again are unread again for everybody. */
export async function revertDecisionNotifications(sql: Sql, { reviewId, disputeIds }: UndoEvent): Promise<void> {
  await sql.query({ text: `DELETE FROM notifications WHERE kind = 'decision' AND cause = $1`, values: [reviewId] })
  await sql.query({
    text: `UPDATE notifications SET read_at = NULL WHERE kind = 'dispute' AND cause = ANY($1::text[])`,
    values: [disputeIds],
  })
}

/**
 * Notifies the heads of the call's department, or owners if it has none. A later check of the call that finds the same miss
 * notifies nobody.
 */
export const notifyAboutCriticalMiss = (sql: Sql, recordingId: string, rule: EventRule): Promise<void> =>
  notifyPeople(
    sql,
    {
      kind: 'criticalMiss',
      cause: `${recordingId}/${rule.ruleSetId}/${rule.key}`,
      recordingId,
      details: { rule },
    },
    {
      sql: `r.call_at > now() - ${MAX_MISS_AGE_SQL}
            AND (p.id IN (${CALL_HEADS_SQL}) OR p.role = 'owner' AND NOT EXISTS (${CALL_HEADS_SQL}))`,
      values: [],
    },
  )

/** Notifies the person of calls that their list of the view contains now. */
export const notifyAboutEnteredCalls = (
  sql: Sql,
  { recordingIds, viewId, personId }: { recordingIds: string[]; viewId: string; personId: string },
): Promise<void> =>
  notifyPeopleAboutCalls(
    sql,
    { kind: 'view', viewId },
    recordingIds.map((recordingId) => ({ cause: `${viewId}/${recordingId}`, recordingId })),
    { sql: 'p.id = ?::uuid', values: [personId] },
  )

/** Notifies the people who can see reports. @param week such as 2026-W12 */
export const notifyAboutWeeklyReport = (sql: Sql, week: string): Promise<void> =>
  notifyPeople(sql, { kind: 'weeklyReport', cause: week, details: { week } }, { sql: SEES_REPORTS_SQL, values: [] })
