import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { computeEffectiveRights } from '../../people/people/present.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { formatLimitSql, listPageBySql, type PageRequest, type ResultPage } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { CALL_REFERENCE_SQL, personReferenceSql } from '../schema.ts'
import { visibleSharedCondition } from '../sharing.ts'
import { MAX_GROUP_ITEMS, type NotificationGroupJson } from './schema.ts'

/** A notification n as JSON. Texts of comments and assignments and names of views are read at once, so that they are up to date. */
const NOTIFICATION_SQL = `
  json_build_object(
    'id', n.id, 'kind', n.kind, 'createdAt', ${isoTimeSql('n.created_at')}, 'isRead', n.read_at IS NOT NULL,
    'actor', ${personReferenceSql('n.actor_id')},
    'rule', CASE WHEN n.details ? 'rule' THEN json_build_object('key', n.details #>> '{rule,key}',
                                                                'name', n.details #> '{rule,name}') END,
    'verdict', n.details ->> 'verdict',
    'text', coalesce(c.text, a.reason, nullif(n.details ->> 'text', '')),
    'at', coalesce(c.at_seconds, a.at_seconds),
    'commentId', n.comment_id, 'assignmentId', n.assignment_id, 'week', n.details ->> 'week',
    'view', CASE WHEN v.id IS NOT NULL THEN json_build_object('id', v.id, 'name', v.name) END)`

const LATEST_FROM_SQL = `
  (latest n LEFT JOIN call_comments c ON c.id = n.comment_id LEFT JOIN assignments a ON a.id = n.assignment_id
     LEFT JOIN saved_views v ON v.id = n.view_id)`

const CALLS_SQL = 'notifications n LEFT JOIN recordings r ON r.id = n.recording_id'

/** The call of a notification n, or the notification itself if it concerns no call. */
const GROUP_SQL = 'coalesce(n.recording_id, n.id)'

/** The person's notifications n about calls r, views and reports that they see now. */
function ownNotificationsCondition(actor: PersonActor): SqlConditions {
  const visible = visibleRecordingsCondition(actor)
  const views = visibleSharedCondition(actor)
  const seesReports = computeEffectiveRights(actor.person).analytics
  return [
    ...toConditions(['n.person_id = ?::uuid', actor.person.id]),
    ...visible.map(({ sql, values }) => ({ sql: `(n.recording_id IS NULL OR ${sql})`, values })),
    ...views.map(({ sql, values }) => ({
      sql: `(n.view_id IS NULL OR n.view_id IN (SELECT s.id FROM saved_views s WHERE ${sql}))`,
      values,
    })),
    ...(seesReports ? [] : [{ sql: `n.kind <> 'weeklyReport'`, values: [] }]),
  ]
}

const UNREAD_CONDITION = { sql: 'n.read_at IS NULL', values: [] }

/** Lists the actor's notifications in groups by call, the group with the latest one first. */
export function listNotifications(
  { pool }: Core,
  actor: PersonActor,
  { unread = false, ...page }: PageRequest & { unread?: boolean },
): Promise<ResultPage<NotificationGroupJson>> {
  const p = new SqlParameters()
  const conditions = [...ownNotificationsCondition(actor), ...(unread ? [UNREAD_CONDITION] : [])]
  const condition = p.and(conditions)
  const groups = `SELECT ${GROUP_SQL} AS key, max(n.created_at) AS latest_at, count(*)::int AS total,
                         (count(*) FILTER (WHERE n.read_at IS NULL))::int AS unread
                    FROM ${CALLS_SQL} WHERE ${condition} GROUP BY 1 ORDER BY 2 DESC, 1`
  // This condition can use indexes, unlike GROUP_SQL. An id is never that of a call and of a notification.
  const latest = `SELECT n.* FROM ${CALLS_SQL} WHERE (n.recording_id = g.key OR n.id = g.key) AND ${condition}
                   ORDER BY n.created_at DESC, n.id DESC LIMIT ${MAX_GROUP_ITEMS}`
  return listPageBySql<NotificationGroupJson>(
    pool,
    {
      count: `SELECT count(*)::int AS total FROM (${groups}) g`,
      // Only the shown notifications of the page are converted to JSON.
      rows: `SELECT CASE WHEN r.id IS NOT NULL THEN ${CALL_REFERENCE_SQL} END AS recording, g.total, g.unread,
                    ${isoTimeSql('g.latest_at')} AS "latestAt",
                    (WITH latest AS (${latest})
                     SELECT json_agg(${NOTIFICATION_SQL} ORDER BY n.created_at DESC, n.id DESC) FROM ${LATEST_FROM_SQL}) AS items
               FROM (${groups} ${formatLimitSql(page)}) g LEFT JOIN recordings r ON r.id = g.key
              ORDER BY g.latest_at DESC, g.key`,
      values: p.values,
    },
    page,
  )
}

export async function countUnreadNotifications(sql: Sql, actor: PersonActor): Promise<{ unread: number }> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ unread: number }>({
    text: `SELECT count(*)::int AS unread FROM notifications n LEFT JOIN recordings r ON r.id = n.recording_id
            WHERE ${p.and([...ownNotificationsCondition(actor), UNREAD_CONDITION])}`,
    values: p.values,
  })
  return rows[0]!
}

/** Marks notifications of the actor as read: those given, those of a call, or all. @returns the number of unread ones */
export function markNotificationsRead(
  { db }: Core,
  actor: PersonActor,
  { notificationIds, recordingId }: { notificationIds?: string[]; recordingId?: string },
): Promise<{ unread: number }> {
  const p = new SqlParameters()
  const conditions = toConditions(
    ['n.person_id = ?::uuid', actor.person.id],
    ['n.id = ANY(?::uuid[])', notificationIds],
    ['n.recording_id = ?::uuid', recordingId],
  )
  return runInTransaction(db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE notifications n SET read_at = now() WHERE ${p.and([...conditions, UNREAD_CONDITION])}`,
      values: p.values,
    })
    const details = { after: { notifications: rowCount } }
    if (rowCount! > 0) await recordAuditChange(sql, actor, { action: 'notifications.read', details })
    return countUnreadNotifications(sql, actor)
  })
}
