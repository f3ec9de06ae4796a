import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { managersSeenBy } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import { selectPage, type Page, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { readPeriod } from '../../platform/lib/period.ts'
import { escapeLike, Parameters, where, type Where } from '../../platform/lib/where.ts'
import { isReadWhole } from '../calls/periods.ts'
import type { ControlJson, Counts, CrmCallJson, DayCounts, ReconciliationJson } from './schema.ts'
import { CALLER, CALLS, REASON, RECEIVED, STATE, STATES, type CallState } from './states.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 92

/** The number of calls in a state, skipped for a reason. */
interface Group {
  state: Exclude<CallState, 'received'>
  reason: string | null
  calls: number
}

const GROUP = `${STATE} AS state, ${REASON} AS reason, count(*)::int AS calls`

/** Which calls are counted: days, both inclusive, and a department's managers. */
interface Narrowing {
  from?: string | undefined
  to?: string | undefined
  department?: string | undefined
}

/** Counts the portal's calls by day and manager, of those whose calls the actor sees. @throws HttpError 400 */
export async function reconcile(core: Core, actor: Actor, given: Narrowing): Promise<ReconciliationJson> {
  const range = readRange(given, core.config.APP_TIMEZONE)
  const seen = managersSeenBy(actor)
  const p = new Parameters()
  const chosen = p.and(callsOf(range, seen, given.department))
  const { rows } = await core.pool.query<Group & { day: string; manager: string | null }>({
    text: `SELECT to_char(c.started_at AT TIME ZONE ${p.add(range.zone)}, 'YYYY-MM-DD') AS day, ${CALLER} AS manager, ${GROUP}
             FROM ${CALLS} WHERE ${chosen} GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2 NULLS LAST`,
    values: p.values,
  })
  const groups = groupBy(rows, ({ day, manager }) => JSON.stringify([day, manager]))
  const days = [...groups.values()].map((group) => ({
    day: group[0]!.day,
    manager: group[0]!.manager,
    ...countsOf(group),
  }))
  const isAll = seen === null && given.department === undefined
  const controls = isAll ? await readControls(core.pool, range, days) : []
  return { days, totals: countsOf(rows), unreadDays: await listUnreadDays(core.pool, range), controls }
}

/** The calls c of these days and of a department. @param seen ids of the visible managers m; null for all calls */
function callsOf({ from, to, zone }: Range, seen: string[] | null, department: string | undefined): Where {
  return [
    {
      sql: `c.started_at >= ?::date::timestamp AT TIME ZONE ? AND c.started_at < (?::date + 1)::timestamp AT TIME ZONE ?`,
      values: [from, zone, to, zone],
    },
    ...where(
      ['m.id = ANY (?::uuid[])', seen ?? undefined],
      [
        'm.id = ANY (ARRAY(SELECT d.manager_id FROM department_managers d WHERE d.department_id = ?::uuid))',
        department,
      ],
    ),
  ]
}

/** Counts the calls between two moments by the id of the manager; null for users who are no managers. */
export async function reconcileManagers(sql: Sql, since: Date, until: Date): Promise<Map<string | null, Counts>> {
  const { rows } = await sql.query<Group & { managerId: string | null }>({
    text: `SELECT m.id AS "managerId", ${GROUP} FROM ${CALLS}
            WHERE c.started_at >= $1 AND c.started_at < $2 GROUP BY 1, 2, 3`,
    values: [since, until],
  })
  const groups = groupBy(rows, ({ managerId }) => managerId)
  return new Map([...groups].map(([id, group]) => [id, countsOf(group)]))
}

function groupBy<T, K>(rows: T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

export const emptyCounts = (): Counts =>
  ({ inCrm: 0, ...Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])), skipped: {} }) as Counts

/** Sums groups; each adds to exactly one state. */
function countsOf(groups: Group[]): Counts {
  return sumOfCounts(
    groups.map(({ state, reason, calls }) => ({
      ...emptyCounts(),
      inCrm: calls,
      ...(RECEIVED.includes(state) && { received: calls }),
      ...(state === 'skipped' ? { skipped: { [reason!]: calls } } : { [state]: calls }),
    })),
  )
}

export function sumOfCounts(parts: Counts[]): Counts {
  const total = emptyCounts()
  for (const { skipped, ...numbers } of parts) {
    for (const [name, n] of Object.entries(numbers)) total[name as keyof typeof numbers] += n
    for (const [reason, n] of Object.entries(skipped)) total.skipped[reason] = (total.skipped[reason] ?? 0) + n
  }
  return total
}

/** Parses the days; by default the last week. @throws HttpError 400 */
function readRange(given: Narrowing, zone: string): Range {
  const { from, to } = readPeriod(given, zone, { days: DEFAULT_DAYS, most: MAX_DAYS })
  return { from: from.toString(), to: to.toString(), zone }
}

/** Days, both inclusive, in their time zone. */
interface Range {
  from: string
  to: string
  zone: string
}

/** Reads what the nightly control counted in the portal, newest day first, beside our counts. */
async function readControls(sql: Sql, { from, to, zone }: Range, ours: DayCounts[]): Promise<ControlJson[]> {
  const { rows } = await sql.query<
    Pick<ControlJson, 'day' | 'portalCalls'> & { checkedAt: Date; shrank: boolean; isWhole: boolean }
  >({
    text: `SELECT c.day::text, c.portal_calls AS "portalCalls", c.checked_at AS "checkedAt", c.shrank_at IS NOT NULL AS shrank,
                  ${isReadWhole('c.day', '$3')} AS "isWhole"
             FROM crm_controls c WHERE c.day >= $1::date AND c.day <= $2::date ORDER BY c.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day, portalCalls, checkedAt, shrank, isWhole }) => {
    const ownCalls = ours.reduce((sum, one) => sum + (one.day === day ? one.inCrm : 0), 0)
    const alarm = shrank ? 'fewer' : isWhole && portalCalls > ownCalls ? 'more' : null
    return { day, portalCalls, ownCalls, checkedAt: checkedAt.toISOString(), alarm }
  })
}

/** Lists the past days of a range that were not fully read, newest first. */
async function listUnreadDays(sql: Sql, { from, to, zone }: Range): Promise<string[]> {
  const { rows } = await sql.query<{ day: string }>({
    text: `SELECT d.day::date::text AS day
             FROM generate_series($1::date::timestamp, least($2::date, (now() AT TIME ZONE $3)::date - 1)::timestamp, interval '1 day') AS d (day)
            WHERE NOT ${isReadWhole('d.day::date', '$3')} ORDER BY d.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day }) => day)
}

interface CallsQuery extends Narrowing, PageRequest {
  manager?: string | undefined
  state?: CallState | undefined
  reason?: string | undefined
}

type CallRow = Omit<CrmCallJson, 'startedAt'> & { startedAt: Date; messageJson: StoredReason | null }

/** Lists the calls behind a number of the reconciliation that the actor sees. @throws HttpError 400 */
export async function listCalls(core: Core, actor: Actor, query: CallsQuery): Promise<Page<CrmCallJson>> {
  const { state, reason, page, pageSize } = query
  const seen = managersSeenBy(actor)
  const p = new Parameters()
  const chosen = p.and([
    ...callsOf(readRange(query, core.config.APP_TIMEZONE), seen, query.department),
    ...ofCaller(query.manager),
    ...(state ? [{ sql: STATES[state], values: [] }] : []),
    ...where([`${REASON} = ?`, reason]),
  ])
  const visible = p.add(seen)
  const list = {
    select: `c.id, c.call_id AS "callId", c.started_at AS "startedAt", ${CALLER} AS manager, c.phone_number AS "phoneNumber",
             c.duration_seconds AS "durationSeconds", ${STATE} AS state, ${REASON} AS reason,
             CASE c.load_state WHEN 'failed' THEN c.load_error END AS error, c.message_json AS "messageJson",
             CASE WHEN ${visible}::uuid[] IS NULL OR r.manager_id = ANY (${visible}) THEN r.id END AS "recordingId"`,
    from: `${CALLS} WHERE ${chosen}`,
    order: 'c.started_at DESC, c.id DESC',
    values: p.values,
  }
  const found = await selectPage<CallRow>(core.pool, list, { page, pageSize })
  const items = found.items.map(({ messageJson, ...row }) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    error: formatReason(row.error, messageJson),
  }))
  return { ...found, items }
}

/** Like the filter of recordings, but | does not separate names, because names of the CRM can contain it. */
function ofCaller(manager = ''): Where {
  const named = manager.trim()
  if (named === '') return []
  const whole = /^"(.*)"$/.exec(named)?.[1]
  if (whole === '') return [{ sql: `${CALLER} IS NULL`, values: [] }]
  if (whole !== undefined) return where([`${CALLER} = ?`, whole])
  return where([`folded_name(${CALLER}) LIKE folded_name(?) ESCAPE '!'`, `%${escapeLike(named)}%`])
}
