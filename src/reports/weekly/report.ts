import { Temporal } from 'temporal-polyfill'
import Type from 'typebox'
import type { Core } from '../../platform/core.ts'
import { emptyCounts, sumOfCounts } from '../../crm/reconciliation/service.ts'
import { transaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { DEAL_COUNTS } from '../definitions/deals.ts'
import { ratio } from '../definitions/figures.ts'
import { mondayOf, readWeek, startOf, weekName } from '../../platform/lib/period.ts'
import { countBy } from '../refusals/refusals.ts'
import * as field from '../field.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../report.ts'
import { narrowing } from '../schema.ts'
import { findManagers, type Narrowing } from '../scope.ts'
import { gatherWeek, sumOf, type ManagerRow } from './gather.ts'
import { kpisOf } from './kpis.ts'
import { TO_HEAR } from './listen.ts'
import { lastDue } from './make.ts'
import { weeklyExample, WeeklySchema, type WeeklyJson } from './schema.ts'

export const weekly = defineReport({
  name: 'weekly',
  path: 'weekly-report',
  summary: 'Changes of a week, and the calls to hear',
  description:
    'Computed on Monday at 07:00 of APP_TIMEZONE about the week before, recomputed hourly for 48 hours, and ' +
    'then frozen: later changes do not rewrite it. It lists the managers whom the caller sees today. A week is ' +
    'stored if it or the eight before had calls or closed deals by the end of these 48 hours. Other past weeks, ' +
    'for example of a history loaded later, are computed on request (`state: not-kept`).',
  query: {
    week: Type.Optional(field.text('A past week, such as 2026-W12; by default the last whose report is due.')),
    ...narrowing,
  },
  schema: WeeklySchema,
  example: weeklyExample,
  otherResponses: { 404: { description: 'No report exists yet.' } },
  make: reportWeek,
})

interface WeekQuery extends Narrowing {
  week?: string
}

/**
 * The stored report of a week, else one of the current data, with the managers that the caller sees and the query names.
 * @throws HttpError 400 unless the week exists and is over; 404 without a week if there is no report yet
 */
export async function reportWeek(core: Core, actor: Actor, query: WeekQuery): Promise<WeeklyJson> {
  if (query.week !== undefined) checkWeek(query.week, core.config.APP_TIMEZONE)
  const [whole, kept, managers] = await Promise.all([
    query.week === undefined ? lastReport(core) : findOrGather(core, readWeek(query.week)),
    listWeeks(core.pool),
    findManagers(core, actor, query),
  ])
  if (!whole) throw notFound(periodMessages.noReport())
  const rows = whole.managers.filter(({ managerId }) => managers === null || managers.includes(managerId))
  const described = rows.map(describeManager)
  const listen = chooseCalls(rows)
  const withLink = await linkCalls(core, actor, [...listen, ...described.flatMap((row) => row.listen)])
  const monday = readWeek(whole.week)
  const totals = Array.from({ length: rows[0]?.weeks.length ?? 0 }, (_, n) => sumOf(rows.map((row) => row.weeks[n]!)))
  const { calls, done, checked, linked, lost } = totals.at(-1) ?? sumOf([])
  const refused = rows.flatMap(({ refusals }) => refusals)
  return {
    period: {
      from: monday.toString(),
      to: monday.add({ days: 6 }).toString(),
      timezone: whole.timezone,
      complete: true,
      asOf: whole.madeAt.toISOString(),
    },
    filters: { manager: query.manager ?? null, department: query.department ?? null, funnel: null },
    coverage: { calls, done, checked, linked },
    week: whole.week,
    state: whole.state,
    kept,
    kpis: kpisOf(totals),
    managers: described
      .map((row) => ({ ...row, listen: row.listen.map(withLink) }))
      .sort((a, b) => (a.manager ?? '\uffff').localeCompare(b.manager ?? '\uffff')),
    refusals: countBy(refused, 'reason').map(([reason, deals]) => ({ reason, share: ratio(deals, lost) })),
    listen: listen.map(withLink),
    reconciliation: sumOfCounts(rows.map(({ reconciliation }) => reconciliation ?? emptyCounts())),
  }
}

function checkWeek(week: string, timeZone: string): void {
  const thisMonday = mondayOf(Temporal.Now.plainDateISO(timeZone))
  if (Temporal.PlainDate.compare(readWeek(week), thisMonday) < 0) return
  throw badRequest([periodMessages.week().about('week')])
}

interface StoredReport {
  week: string
  state: WeeklyJson['state']
  madeAt: Date
  timezone: string
  managers: ManagerRow[]
}

/** The report of the last due week, if there was any data by its end. */
async function lastReport(core: Core): Promise<StoredReport | undefined> {
  const due = lastDue(Temporal.Now.instant(), core.config.APP_TIMEZONE)
  const stored = await findWeeklyReport(core.pool, weekName(due))
  return stored ?? ((await hasBegun(core, due)) ? gatherNow(core, due) : undefined)
}

async function findWeeklyReport(sql: Sql, week: string): Promise<StoredReport | undefined> {
  const { rows } = await sql.query<StoredReport>({
    text: `SELECT week, state, made_at AS "madeAt", timezone, managers FROM weekly_reports WHERE week = $1`,
    values: [week],
  })
  return rows[0]
}

/** Lists the stored weeks of the last year, newest first. */
async function listWeeks(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ week: string }>({
    text: 'SELECT week FROM weekly_reports ORDER BY week DESC LIMIT 53',
  })
  return rows.map(({ week }) => week)
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

const findOrGather = async (core: Core, monday: Temporal.PlainDate): Promise<StoredReport> =>
  (await findWeeklyReport(core.pool, weekName(monday))) ?? gatherNow(core, monday)

/** The report of a week without a stored one, from the current data. It is not stored either. */
async function gatherNow(core: Core, monday: Temporal.PlainDate): Promise<StoredReport> {
  const timezone = core.config.APP_TIMEZONE
  const madeAt = new Date()
  const managers = await transaction(core.db, async (sql) => {
    // All figures of a report are as of one moment.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' })
    return gatherWeek(sql, monday, timezone)
  })
  return { week: weekName(monday), state: 'not-kept', madeAt, timezone, managers }
}

const describeManager = (row: ManagerRow): WeeklyJson['managers'][number] => ({
  managerId: row.managerId,
  manager: row.manager,
  kpis: kpisOf(row.weeks),
  listen: row.worst.map((call) => describeCall(row, call, 'lowest')),
  coach: row.coach && {
    set: row.coach.set,
    rule: row.coach.rule,
    passRate: ratio(row.coach.met, row.coach.met + row.coach.missed),
  },
})

type CallJson = WeeklyJson['listen'][number]

const describeCall = (
  { managerId, manager }: ManagerRow,
  { id, at, score, missed }: ManagerRow['worst'][number],
  why: CallJson['why'],
): CallJson => ({ recordingId: id, managerId, manager, at, score, why, missed })

/** Stored reports outlive their calls: removes the ids of calls that were deleted or that the caller no longer sees. */
async function linkCalls({ pool }: Core, actor: Actor, calls: CallJson[]): Promise<(call: CallJson) => CallJson> {
  const ids = calls.map(({ recordingId }) => recordingId)
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) => `SELECT r.id FROM recordings r WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND ${p.and(visibleTo(actor))}`,
  )
  const found = new Set<string | null>(rows.map(({ id }) => id))
  return (call) => (found.has(call.recordingId) ? call : { ...call, recordingId: null })
}

/** The calls with the lowest scores of all, and those with the highest scores among the rest. */
function chooseCalls(rows: ManagerRow[]): WeeklyJson['listen'] {
  const lowest = rows
    .flatMap((row) => row.worst.map((call) => describeCall(row, call, 'lowest')))
    .sort((a, b) => a.score - b.score || a.at.localeCompare(b.at))
    .slice(0, TO_HEAR)
  const highest = rows
    .flatMap((row) => row.best.map((call) => describeCall(row, call, 'highest')))
    .filter(({ recordingId }) => lowest.every((call) => call.recordingId !== recordingId))
    .sort((a, b) => b.score - a.score || a.at.localeCompare(b.at))
    .slice(0, TO_HEAR)
  return [...lowest, ...highest]
}
