import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { readPeriod } from '../../platform/lib/period.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters, where, type Where } from '../../platform/lib/where.ts'
import { managersSeenBy } from '../../people/managers/visibility.ts'
import { listUnreadDays, readControls } from './controls.ts'
import type { ControlJson, Counts, DayCounts } from './schema.ts'
import { CALLER, CALLS } from './states.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 92

/** Calls that stand alike. */
interface Standing {
  state: string
  reason: string | null
  status: string | null
  calls: number
}

interface GroupRow extends Standing {
  day: string
  manager: string | null
}

const STANDING = `c.load_state AS state, c.skip_reason AS reason,
                  CASE WHEN c.load_state = 'received' THEN coalesce(r.status, 'DELETED') END AS status, count(*)::int AS calls`

/** Which calls are asked about: days, both inclusive, and a department's managers. */
export interface Narrowing {
  from?: string | undefined
  to?: string | undefined
  department?: string | undefined
}

/** What became of the portal's calls, by day and manager, of those whose calls the actor may see. @throws HttpError 400 */
export async function reconcile(
  core: Core,
  actor: Actor,
  given: Narrowing,
): Promise<{ days: DayCounts[]; totals: Counts; unreadDays: string[]; controls: ControlJson[] }> {
  const range = readRange(given, core.config.APP_TIMEZONE)
  const seen = managersSeenBy(actor)
  const p = new Parameters()
  const chosen = p.and(callsOf(range, seen, given.department))
  const { rows } = await core.pool.query<GroupRow>({
    text: `SELECT to_char(c.started_at AT TIME ZONE ${p.add(range.zone)}, 'YYYY-MM-DD') AS day, ${CALLER} AS manager, ${STANDING}
             FROM ${CALLS} WHERE ${chosen} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1 DESC, 2 NULLS LAST`,
    values: p.values,
  })
  const groups = new Map<string, GroupRow[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.day, row.manager])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const days = [...groups.values()].map((group) => ({
    day: group[0]!.day,
    manager: group[0]!.manager,
    ...countsOf(group),
  }))
  const isAll = seen === null && given.department === undefined
  const controls = isAll ? await readControls(core.pool, range, callsByDay(days)) : []
  const unreadDays = await listUnreadDays(core.pool, range)
  return { days, totals: countsOf(rows), unreadDays, controls }
}

function callsByDay(days: DayCounts[]): Map<string, number> {
  const calls = new Map<string, number>()
  for (const { day, inCrm } of days) calls.set(day, (calls.get(day) ?? 0) + inCrm)
  return calls
}

/** Days in the time zone that they are of. */
export interface Range {
  from: string
  to: string
  zone: string
}

/** The calls c of these days, of the managers m that somebody sees, null for all of them and nobody's too, and of a department's. */
export function callsOf({ from, to, zone }: Range, seen: string[] | null, department: string | undefined): Where {
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

/** What became of the calls between two moments, by the id of the manager; null for users who are none. */
export async function reconcileManagers(sql: Sql, since: Date, until: Date): Promise<Map<string | null, Counts>> {
  const { rows } = await sql.query<Standing & { managerId: string | null }>({
    text: `SELECT m.id AS "managerId", ${STANDING}
             FROM crm_calls c LEFT JOIN managers m ON m.crm_user_id = c.user_id
                  LEFT JOIN recordings r ON r.id = c.recording_id
            WHERE c.started_at >= $1 AND c.started_at < $2 GROUP BY 1, 2, 3, 4`,
    values: [since, until],
  })
  const managers = [...new Set(rows.map(({ managerId }) => managerId))]
  return new Map(managers.map((id) => [id, countsOf(rows.filter(({ managerId }) => managerId === id))]))
}

/** Every row adds to exactly one count, and so to the sums. */
function countsOf(rows: Standing[]): Counts {
  const sum = (which: (row: Standing) => boolean) => rows.filter(which).reduce((all, { calls }) => all + calls, 0)
  const skipped: Record<string, number> = {}
  for (const { state, reason, calls } of rows) {
    const why = state === 'doubled' ? 'doubled' : state === 'skipped' ? (reason ?? 'unknown') : undefined
    if (why) skipped[why] = (skipped[why] ?? 0) + calls
  }
  const status = (...statuses: string[]) => sum((row) => row.status !== null && statuses.includes(row.status))
  return {
    inCrm: sum(() => true),
    skipped,
    awaitingFile: sum(({ state }) => state === 'awaiting-file'),
    loading: sum(({ state }) => state === 'waiting' || state === 'loading'),
    loadFailed: sum(({ state }) => state === 'failed'),
    received: sum(({ state }) => state === 'received'),
    done: status('DONE'),
    failed: status('FAILED'),
    cancelled: status('CANCELLED'),
    inWork: status('QUEUED', 'PROCESSING'),
    deleted: status('DELETED'),
  }
}

const SUMS = [
  'inCrm',
  'awaitingFile',
  'loading',
  'loadFailed',
  'received',
  'done',
  'failed',
  'cancelled',
  'inWork',
  'deleted',
] as const

export const emptyCounts = (): Counts => countsOf([])

export function sumOfCounts(parts: Counts[]): Counts {
  const total = emptyCounts()
  for (const part of parts) {
    for (const name of SUMS) total[name] += part[name]
    for (const [why, calls] of Object.entries(part.skipped)) total.skipped[why] = (total.skipped[why] ?? 0) + calls
  }
  return total
}

/** The days that are asked about; without any the last week. @throws HttpError 400 */
export function readRange(given: Narrowing, zone: string): Range {
  const { from, to } = readPeriod(given, zone, { days: DEFAULT_DAYS, most: MAX_DAYS })
  return { from: from.toString(), to: to.toString(), zone }
}
