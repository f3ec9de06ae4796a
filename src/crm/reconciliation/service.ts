import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { getVisibleManagerIds } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import { listPage, type ResultPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { parsePeriod } from '../../platform/lib/period.ts'
import {
  escapeLikePattern,
  SqlParameters,
  toConditions,
  type SqlConditions,
} from '../../platform/lib/sql-conditions.ts'
import { dayFullyReadSql } from '../calls/read-periods.ts'
import type {
  ReconciliationControlJson,
  ReconciliationCounts,
  CrmCallJson,
  ReconciliationDayCounts,
  ReconciliationJson,
} from './schema.ts'
import {
  CALLER_NAME_SQL,
  CRM_CALLS_FROM_SQL,
  CALL_SKIP_REASON_SQL,
  RECEIVED_CALL_STATES,
  CRM_CALL_STATE_SQL,
  CALL_STATE_CONDITIONS_SQL,
  type CrmCallState,
} from './call-states.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 92

/** The number of calls with the same state and skip reason. */
interface StateGroup {
  state: Exclude<CrmCallState, 'received'>
  reason: string | null
  calls: number
}

const GROUP_COLUMNS_SQL = `${CRM_CALL_STATE_SQL} AS state, ${CALL_SKIP_REASON_SQL} AS reason, count(*)::int AS calls`

/** `from` and `to` are inclusive days. */
interface RangeFilters {
  from?: string | undefined
  to?: string | undefined
  department?: string | undefined
}

/** Counts the portal calls by day and manager, for managers whose calls the actor can see. @throws HttpError 400 */
export async function countCrmCallsByDay(core: Core, actor: Actor, filters: RangeFilters): Promise<ReconciliationJson> {
  const range = parseDayRange(filters, core.config.APP_TIMEZONE)
  const managerIds = getVisibleManagerIds(actor)
  const p = new SqlParameters()
  const condition = p.and(callsCondition(range, managerIds, filters.department))
  const { rows } = await core.pool.query<StateGroup & { day: string; manager: string | null }>({
    text: `SELECT to_char(c.started_at AT TIME ZONE ${p.add(range.zone)}, 'YYYY-MM-DD') AS day, ${CALLER_NAME_SQL} AS manager, ${GROUP_COLUMNS_SQL}
             FROM ${CRM_CALLS_FROM_SQL} WHERE ${condition} GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2 NULLS LAST`,
    values: p.values,
  })
  const groups = groupBy(rows, ({ day, manager }) => JSON.stringify([day, manager]))
  const days = [...groups.values()].map((group) => ({
    day: group[0]!.day,
    manager: group[0]!.manager,
    ...sumGroups(group),
  }))
  const isAll = managerIds === null && filters.department === undefined
  const controls = isAll ? await listControls(core.pool, range, days) : []
  return { days, totals: sumGroups(rows), unreadDays: await listUnreadDays(core.pool, range), controls }
}

/** Builds conditions on calls c and managers m. @param managerIds visible managers; null selects all calls */
function callsCondition(
  { from, to, zone }: DayRange,
  managerIds: string[] | null,
  department: string | undefined,
): SqlConditions {
  return [
    {
      sql: `c.started_at >= ?::date::timestamp AT TIME ZONE ? AND c.started_at < (?::date + 1)::timestamp AT TIME ZONE ?`,
      values: [from, zone, to, zone],
    },
    ...toConditions(
      ['m.id = ANY (?::uuid[])', managerIds ?? undefined],
      [
        'm.id = ANY (ARRAY(SELECT d.manager_id FROM department_managers d WHERE d.department_id = ?::uuid))',
        department,
      ],
    ),
  ]
}

/**
 * Counts the portal calls of a period by manager id. The key null has the calls of users who are not managers.
 * @param until excluded
 */
export async function countCrmCallsByManager(
  sql: Sql,
  since: Date,
  until: Date,
): Promise<Map<string | null, ReconciliationCounts>> {
  const { rows } = await sql.query<StateGroup & { managerId: string | null }>({
    text: `SELECT m.id AS "managerId", ${GROUP_COLUMNS_SQL} FROM ${CRM_CALLS_FROM_SQL}
            WHERE c.started_at >= $1 AND c.started_at < $2 GROUP BY 1, 2, 3`,
    values: [since, until],
  })
  const groups = groupBy(rows, ({ managerId }) => managerId)
  return new Map([...groups].map(([id, group]) => [id, sumGroups(group)]))
}

function groupBy<T, K>(rows: T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

/** Creates counts of 0 for each state. */
export const createEmptyReconciliationCounts = (): ReconciliationCounts =>
  ({
    inCrm: 0,
    ...Object.fromEntries(Object.keys(CALL_STATE_CONDITIONS_SQL).map((state) => [state, 0])),
    skipped: {},
  }) as ReconciliationCounts

/** Each group belongs to exactly one state. */
function sumGroups(groups: StateGroup[]): ReconciliationCounts {
  return sumReconciliationCounts(
    groups.map(({ state, reason, calls }) => ({
      ...createEmptyReconciliationCounts(),
      inCrm: calls,
      ...(RECEIVED_CALL_STATES.includes(state) && { received: calls }),
      ...(state === 'skipped' ? { skipped: { [reason!]: calls } } : { [state]: calls }),
    })),
  )
}

/** Adds counts, including the reasons of skipped calls. */
export function sumReconciliationCounts(parts: ReconciliationCounts[]): ReconciliationCounts {
  const total = createEmptyReconciliationCounts()
  for (const { skipped, ...numbers } of parts) {
    for (const [name, n] of Object.entries(numbers)) total[name as keyof typeof numbers] += n
    for (const [reason, n] of Object.entries(skipped)) total.skipped[reason] = (total.skipped[reason] ?? 0) + n
  }
  return total
}

/** Parses the requested days, by default the last 7. @throws HttpError 400 */
function parseDayRange(filters: RangeFilters, zone: string): DayRange {
  const { from, to } = parsePeriod(filters, zone, { days: DEFAULT_DAYS, most: MAX_DAYS })
  return { from: from.toString(), to: to.toString(), zone }
}

/** `from` and `to` are inclusive days in the time zone. */
interface DayRange {
  from: string
  to: string
  zone: string
}

/** Loads the counts of the nightly control next to our own counts, newest day first. */
async function listControls(
  sql: Sql,
  { from, to, zone }: DayRange,
  dayCounts: ReconciliationDayCounts[],
): Promise<ReconciliationControlJson[]> {
  const { rows } = await sql.query<
    Pick<ReconciliationControlJson, 'day' | 'portalCalls'> & { checkedAt: Date; shrank: boolean; isWhole: boolean }
  >({
    text: `SELECT c.day::text, c.portal_calls AS "portalCalls", c.checked_at AS "checkedAt", c.shrank_at IS NOT NULL AS shrank,
                  ${dayFullyReadSql('c.day', '$3')} AS "isWhole"
             FROM crm_controls c WHERE c.day >= $1::date AND c.day <= $2::date ORDER BY c.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day, portalCalls, checkedAt, shrank, isWhole }) => {
    const ownCalls = dayCounts.reduce((sum, dayRow) => sum + (dayRow.day === day ? dayRow.inCrm : 0), 0)
    const alarm = shrank ? 'fewer' : isWhole && portalCalls > ownCalls ? 'more' : null
    return { day, portalCalls, ownCalls, checkedAt: checkedAt.toISOString(), alarm }
  })
}

/** Lists the past days of a range that were not completely read, newest first. */
async function listUnreadDays(sql: Sql, { from, to, zone }: DayRange): Promise<string[]> {
  const { rows } = await sql.query<{ day: string }>({
    text: `SELECT d.day::date::text AS day
             FROM generate_series($1::date::timestamp, least($2::date, (now() AT TIME ZONE $3)::date - 1)::timestamp, interval '1 day') AS d (day)
            WHERE NOT ${dayFullyReadSql('d.day::date', '$3')} ORDER BY d.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day }) => day)
}

interface CallsQuery extends RangeFilters, PageRequest {
  manager?: string | undefined
  state?: CrmCallState | undefined
  reason?: string | undefined
}

type ReconciledCallRow = Omit<CrmCallJson, 'startedAt'> & { startedAt: Date; messageJson: StoredReason | null }

/** Lists the portal calls behind a count of the reconciliation that the actor can see. @throws HttpError 400 */
export async function listCrmCalls(core: Core, actor: Actor, query: CallsQuery): Promise<ResultPage<CrmCallJson>> {
  const { state, reason, page, pageSize } = query
  const managerIds = getVisibleManagerIds(actor)
  const p = new SqlParameters()
  const condition = p.and([
    ...callsCondition(parseDayRange(query, core.config.APP_TIMEZONE), managerIds, query.department),
    ...callerCondition(query.manager),
    ...(state ? [{ sql: CALL_STATE_CONDITIONS_SQL[state], values: [] }] : []),
    ...toConditions([`${CALL_SKIP_REASON_SQL} = ?`, reason]),
  ])
  const visible = p.add(managerIds)
  const list = {
    select: `c.id, c.call_id AS "callId", c.started_at AS "startedAt", ${CALLER_NAME_SQL} AS manager, c.phone_number AS "phoneNumber",
             c.duration_seconds AS "durationSeconds", ${CRM_CALL_STATE_SQL} AS state, ${CALL_SKIP_REASON_SQL} AS reason,
             CASE c.load_state WHEN 'failed' THEN c.load_error END AS error, c.message_json AS "messageJson",
             CASE WHEN ${visible}::uuid[] IS NULL OR r.manager_id = ANY (${visible}) THEN r.id END AS "recordingId"`,
    from: `${CRM_CALLS_FROM_SQL} WHERE ${condition}`,
    order: 'c.started_at DESC, c.id DESC',
    values: p.values,
  }
  const found = await listPage<ReconciledCallRow>(core.pool, list, { page, pageSize })
  const items = found.items.map(({ messageJson, ...row }) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    error: formatReason(row.error, messageJson),
  }))
  return { ...found, items }
}

/**
 * Selects calls by a part of the name, or by the exact name in quotation marks. Empty quotation marks select calls without a
 * name.
 */
function callerCondition(manager = ''): SqlConditions {
  const managerName = manager.trim()
  if (managerName === '') return []
  const quotedName = /^"(.*)"$/.exec(managerName)?.[1]
  if (quotedName === '') return [{ sql: `${CALLER_NAME_SQL} IS NULL`, values: [] }]
  if (quotedName !== undefined) return toConditions([`${CALLER_NAME_SQL} = ?`, quotedName])
  return toConditions([
    `folded_name(${CALLER_NAME_SQL}) LIKE folded_name(?) ESCAPE '!'`,
    `%${escapeLikePattern(managerName)}%`,
  ])
}
