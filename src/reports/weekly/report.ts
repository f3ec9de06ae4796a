import type { Actor } from '../../platform/http/actor.ts'
import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import { emptyCounts, sumOfCounts } from '../../crm/reconciliation/service.ts'
import { transaction } from '../../platform/db/db.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { DEAL_COUNTS } from '../definitions/deals.ts'
import { ratio } from '../definitions/figures.ts'
import { mondayOf, readWeek, startOf, weekName } from '../../platform/lib/period.ts'
import { managersOf, type Narrowing } from '../scope.ts'
import { gatherWeek, sumOf, type ManagerRow } from './gather.ts'
import { readKept, readWeeks, type Whole } from './kept.ts'
import { kpisOf } from './kpis.ts'
import { TO_HEAR } from './listen.ts'
import { lastDue } from './make.ts'
import type { WeeklyJson } from './schema.ts'

interface Asked extends Narrowing {
  week?: string
}

/**
 * The report of a week as it was kept, else as it is today, of the managers that the caller sees today and the filters name.
 * @throws HttpError 400 for what is no week that is over; 404 where no week is asked for and there is none to tell of
 */
export async function reportWeek(core: Core, actor: Actor, asked: Asked): Promise<WeeklyJson> {
  if (asked.week !== undefined) checkWeek(asked.week, core.config.APP_TIMEZONE)
  const [whole, weeks, managers] = await Promise.all([
    asked.week === undefined ? lastReport(core) : readOrCompute(core, readWeek(asked.week)),
    readWeeks(core),
    managersOf(core, actor, asked),
  ])
  if (!whole) throw notFound(periodMessages.noReport())
  const rows = whole.managers.filter(({ managerId }) => managers === null || managers.includes(managerId))
  const told = rows.map(managerOf)
  const listen = listenTo(rows)
  const withLink = await linkCalls(core, actor, [...listen, ...told.flatMap((row) => row.listen)])
  const monday = readWeek(whole.week)
  const totals = Array.from({ length: rows[0]?.weeks.length ?? 0 }, (_, n) => sumOf(rows.map((row) => row.weeks[n]!)))
  const { calls, done, checked, linked, lost } = totals.at(-1) ?? sumOf([])
  return {
    period: {
      from: monday.toString(),
      to: monday.add({ days: 6 }).toString(),
      timezone: whole.timezone,
      complete: true,
      asOf: whole.madeAt.toISOString(),
    },
    filters: { manager: asked.manager ?? null, department: asked.department ?? null, funnel: null },
    coverage: { calls, done, checked, linked },
    week: whole.week,
    state: whole.state,
    kept: weeks,
    kpis: kpisOf(totals),
    managers: told
      .map((row) => ({ ...row, listen: row.listen.map(withLink) }))
      .toSorted((a, b) => (a.manager ?? '\uffff').localeCompare(b.manager ?? '\uffff')),
    refusals: refusalsOf(rows, lost),
    listen: listen.map(withLink),
    reconciliation: sumOfCounts(rows.map(({ reconciliation }) => reconciliation ?? emptyCounts())),
  }
}

function checkWeek(week: string, timeZone: string): void {
  const thisMonday = mondayOf(Temporal.Now.plainDateISO(timeZone))
  if (Temporal.PlainDate.compare(readWeek(week), thisMonday) < 0) return
  throw badRequest([periodMessages.week().about('week')])
}

/** That of the last week that is due, however little there was in it, once there was anything at all until its end. */
async function lastReport(core: Core): Promise<Whole | undefined> {
  const due = lastDue(Temporal.Now.instant(), core.config.APP_TIMEZONE)
  const kept = await readKept(core, weekName(due))
  if (kept) return kept
  return (await hasBegun(core, due)) ? compute(core, due) : undefined
}

async function hasBegun({ pool, config }: Core, monday: Temporal.PlainDate): Promise<boolean> {
  const { rows } = await pool.query({
    text: `SELECT 1 FROM weekly_reports
           UNION ALL SELECT 1 FROM recordings WHERE call_at < $1
           UNION ALL SELECT 1 FROM crm_deals d WHERE ${DEAL_COUNTS} AND closed_at < $1
            LIMIT 1`,
    values: [startOf(monday.add({ weeks: 1 }), config.APP_TIMEZONE)],
  })
  return rows.length > 0
}

async function readOrCompute(core: Core, monday: Temporal.PlainDate): Promise<Whole> {
  return (await readKept(core, weekName(monday))) ?? compute(core, monday)
}

/** The report of a week of which none was kept: made of what is there now, and not kept either. */
async function compute(core: Core, monday: Temporal.PlainDate): Promise<Whole> {
  const timezone = core.config.APP_TIMEZONE
  const madeAt = new Date()
  const managers = await transaction(core.db, async (sql) => {
    // All figures of a report are of one moment.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' })
    return gatherWeek(sql, monday, timezone)
  })
  return { week: weekName(monday), state: 'not-kept', madeAt, timezone, managers }
}

type ManagerJson = WeeklyJson['managers'][number]

/** What rows tell of their managers: those of a kept report are the same objects each time it is asked for. */
const described = new WeakMap<ManagerRow, ManagerJson>()

function managerOf(row: ManagerRow): ManagerJson {
  const before = described.get(row)
  if (before) return before
  const { managerId, manager, coach } = row
  const found: ManagerJson = {
    managerId,
    manager,
    kpis: kpisOf(row.weeks),
    listen: row.worst.map((call) => toHear(row, call, 'lowest')),
    coach: coach && { set: coach.set, rule: coach.rule, passRate: ratio(coach.met, coach.met + coach.missed) },
  }
  described.set(row, found)
  return found
}

const toHear = (
  { managerId, manager }: ManagerRow,
  { id, at, score, missed }: ManagerRow['worst'][number],
  why: 'lowest' | 'highest',
): WeeklyJson['listen'][number] => ({ recordingId: id, managerId, manager, at, score, why, missed })

type CallJson = WeeklyJson['listen'][number]

/** Stored reports outlive their calls: removes the ids of calls that were deleted or that the caller no longer sees. */
async function linkCalls({ pool }: Core, actor: Actor, calls: CallJson[]): Promise<(call: CallJson) => CallJson> {
  const p = new Parameters()
  const ids = calls.map(({ recordingId }) => recordingId)
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND ${p.and(visibleTo(actor))}`,
    values: p.values,
  })
  const found = new Set<string | null>(rows.map(({ id }) => id))
  return (call) => (found.has(call.recordingId) ? call : { ...call, recordingId: null })
}

/** The calls with the lowest scores of all, and those with the highest that are not among them. */
function listenTo(rows: ManagerRow[]): WeeklyJson['listen'] {
  const lowest = rows
    .flatMap((row) => row.worst.map((call) => toHear(row, call, 'lowest')))
    .sort((a, b) => a.score - b.score || a.at.localeCompare(b.at))
    .slice(0, TO_HEAR)
  const highest = rows
    .flatMap((row) => row.best.map((call) => toHear(row, call, 'highest')))
    .filter(({ recordingId }) => lowest.every((call) => call.recordingId !== recordingId))
    .sort((a, b) => b.score - a.score || a.at.localeCompare(b.at))
    .slice(0, TO_HEAR)
  return [...lowest, ...highest]
}

/** Most frequent first. */
function refusalsOf(rows: ManagerRow[], lost: number): WeeklyJson['refusals'] {
  const reasons = new Map<string | null, number>()
  for (const { reason, deals } of rows.flatMap(({ refusals }) => refusals)) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + deals)
  }
  return [...reasons]
    .sort((a, b) => b[1] - a[1] || (a[0] ?? '').localeCompare(b[0] ?? ''))
    .map(([reason, deals]) => ({ reason, share: ratio(deals, lost) }))
}
