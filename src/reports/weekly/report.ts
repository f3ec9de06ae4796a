import { Temporal } from 'temporal-polyfill'
import Type from 'typebox'
import type { Core } from '../../platform/core.ts'
import { createEmptyReconciliationCounts, sumReconciliationCounts } from '../../crm/reconciliation/service.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, notFoundError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { IS_COUNTED_DEAL_SQL } from '../definitions/deals.ts'
import { computeMeanForAnyCount, computeRatio } from '../definitions/figures.ts'
import { mondayOf, parseIsoWeek, startOfDay, formatIsoWeek } from '../../platform/lib/period.ts'
import { countDealsByField } from '../refusals/refusals.ts'
import * as field from '../field.ts'
import { listMissedRules } from '../missed-rules.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../define-report.ts'
import { managerFilterParameters } from '../schema.ts'
import { listManagerIds, type ManagerFilter } from '../scope.ts'
import { loadWeekFigures, sumWeekFigures, type WeeklyManagerRow } from './week-figures.ts'
import { findScoreCause } from './score-cause.ts'
import { computeManagerKpis, computeWeeklyKpis } from './kpis.ts'
import { MAX_RECOMMENDED_CALLS } from './recommended-calls.ts'
import { computeLastDueReportMonday } from './store-reports.ts'
import { weeklyReportExample, WeeklyReportSchema, type WeeklyReportJson } from './schema.ts'

export const weeklyReport = defineReport({
  name: 'weekly',
  path: 'weekly-report',
  summary: 'Changes of a week, and recommended calls',
  description:
    'The report of a week is computed on the next Monday at 07:00 in APP_TIMEZONE and recomputed hourly for 48 ' +
    'hours. Later changes do not affect it. It contains the managers whom the caller sees today. A report is ' +
    'stored if the week or the eight weeks before had calls or closed deals by the end of these 48 hours. Other ' +
    'past weeks, for example of a history loaded later, are computed on request (`state: not-kept`). The running ' +
    'week is computed on request too (`state: running`) and has no flags.',
  query: {
    week: Type.Optional(
      field.text('A week that has begun, such as 2026-W12. Default: the last week whose report is due.'),
    ),
    ...managerFilterParameters,
  },
  schema: WeeklyReportSchema,
  example: weeklyReportExample,
  otherResponses: { 404: { description: 'No report exists yet.' } },
  make: makeWeeklyReport,
})

interface WeekQuery extends ManagerFilter {
  week?: string
}

/**
 * Loads the stored report of a week, or computes it from current data. It contains the managers that the caller sees and that
 * match the filter.
 * @throws HttpError 400 for an invalid or future week; 404 without `week` if there is no report yet
 */
export async function makeWeeklyReport(core: Core, actor: Actor, query: WeekQuery): Promise<WeeklyReportJson> {
  if (query.week !== undefined) checkWeek(query.week, core.config.APP_TIMEZONE)
  const [storedReport, kept, managers] = await Promise.all([
    query.week === undefined ? findLastReport(core) : findOrComputeReport(core, parseIsoWeek(query.week)),
    listWeeks(core.pool),
    listManagerIds(core, actor, query),
  ])
  if (!storedReport) throw notFoundError(periodMessages.noReport())
  const rows = storedReport.managers.filter(({ managerId }) => managers === null || managers.includes(managerId))
  const isRunning = storedReport.state === 'running'
  const described = rows.map((row) => describeManager(row, isRunning))
  const listen = chooseRecommendedCalls(rows)
  const withLink = await loadCallLinker(core, actor, [...listen, ...described.flatMap((row) => row.listen)])
  const monday = parseIsoWeek(storedReport.week)
  const totals = Array.from({ length: rows[0]?.weeks.length ?? 0 }, (_, n) =>
    sumWeekFigures(rows.map((row) => row.weeks[n]!)),
  )
  const { calls, done, checked, linked, lost } = totals.at(-1) ?? sumWeekFigures([])
  const refusalRows = rows.flatMap(({ refusals }) => refusals)
  const kpis = (rows.length === 1 ? computeManagerKpis : computeWeeklyKpis)(totals, isRunning)
  const score = kpis.find(({ name }) => name === 'score')!
  return {
    period: {
      from: monday.toString(),
      to: monday.add({ days: 6 }).toString(),
      timezone: storedReport.timezone,
      complete: !isRunning,
      asOf: storedReport.madeAt.toISOString(),
    },
    filters: { manager: query.manager ?? null, department: query.department ?? null, funnel: null },
    coverage: { calls, done, checked, linked },
    week: storedReport.week,
    state: storedReport.state,
    kept,
    kpis,
    cause: isRunning ? null : await findScoreCause(core, managers, monday, score),
    managers: described
      .map((row) => ({ ...row, listen: row.listen.map(withLink) }))
      .sort((a, b) => (a.manager ?? '\uffff').localeCompare(b.manager ?? '\uffff')),
    refusals: countDealsByField(refusalRows, 'reason').map(([reason, deals]) => ({
      reason,
      share: computeRatio(deals, lost),
    })),
    listen: await addPlaybackFields(core, listen.map(withLink)),
    reconciliation: sumReconciliationCounts(
      rows.map(({ reconciliation }) => reconciliation ?? createEmptyReconciliationCounts()),
    ),
  }
}

function checkWeek(week: string, timeZone: string): void {
  if (Temporal.PlainDate.compare(parseIsoWeek(week), findThisMonday(timeZone)) <= 0) return
  throw badRequestError([periodMessages.week().withField('week')])
}

const findThisMonday = (timeZone: string): Temporal.PlainDate => mondayOf(Temporal.Now.plainDateISO(timeZone))

interface StoredReport {
  week: string
  state: WeeklyReportJson['state']
  madeAt: Date
  timezone: string
  managers: WeeklyManagerRow[]
}

/** Finds the report of the last due week. It is undefined if the database had no data before the end of that week. */
async function findLastReport(core: Core): Promise<StoredReport | undefined> {
  const due = computeLastDueReportMonday(Temporal.Now.instant(), core.config.APP_TIMEZONE)
  const stored = await findWeeklyReport(core.pool, formatIsoWeek(due))
  return stored ?? ((await hasDataBefore(core, due)) ? computeReport(core, due) : undefined)
}

/** Finds the stored report of a week of ISO 8601, with all managers. */
export async function findWeeklyReport(sql: Sql, week: string): Promise<StoredReport | undefined> {
  const { rows } = await sql.query<StoredReport>({
    text: `SELECT week, state, made_at AS "madeAt", timezone, managers FROM weekly_reports WHERE week = $1`,
    values: [week],
  })
  return rows[0]
}

/** Lists the last 53 stored weeks, newest first. */
async function listWeeks(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ week: string }>({
    text: 'SELECT week FROM weekly_reports ORDER BY week DESC LIMIT 53',
  })
  return rows.map(({ week }) => week)
}

async function hasDataBefore({ pool, config }: Core, monday: Temporal.PlainDate): Promise<boolean> {
  const { rows } = await pool.query({
    text: `SELECT 1 FROM weekly_reports
           UNION ALL SELECT 1 FROM recordings WHERE call_at < $1
           UNION ALL SELECT 1 FROM crm_deals d WHERE ${IS_COUNTED_DEAL_SQL} AND closed_at < $1
            LIMIT 1`,
    values: [startOfDay(monday.add({ weeks: 1 }), config.APP_TIMEZONE)],
  })
  return rows.length > 0
}

const findOrComputeReport = async (core: Core, monday: Temporal.PlainDate): Promise<StoredReport> =>
  (await findWeeklyReport(core.pool, formatIsoWeek(monday))) ?? computeReport(core, monday)

/** Computes a report that is not stored from current data. */
async function computeReport(core: Core, monday: Temporal.PlainDate): Promise<StoredReport> {
  const timezone = core.config.APP_TIMEZONE
  const madeAt = new Date()
  const managers = await runInTransaction(core.db, async (sql) => {
    // REPEATABLE READ computes all figures from one snapshot.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' })
    return loadWeekFigures(sql, monday, timezone)
  })
  const state = monday.equals(findThisMonday(timezone)) ? 'running' : 'not-kept'
  return { week: formatIsoWeek(monday), state, madeAt, timezone, managers }
}

const describeManager = (row: WeeklyManagerRow, isRunning: boolean): WeeklyReportJson['managers'][number] => ({
  managerId: row.managerId,
  manager: row.manager,
  kpis: computeManagerKpis(row.weeks, isRunning),
  score: computeMeanForAnyCount(row.weeks.at(-1)?.score ?? 0, row.weeks.at(-1)?.checked ?? 0),
  listen: row.worst.map((call) => describeCall(row, call, 'lowest')),
  coach: row.coach && {
    set: row.coach.set,
    rule: row.coach.rule,
    passRate: computeRatio(row.coach.met, row.coach.met + row.coach.missed),
  },
})

type CallJson = WeeklyReportJson['managers'][number]['listen'][number]

const describeCall = (
  { managerId, manager }: WeeklyManagerRow,
  { id, at, score, missed }: WeeklyManagerRow['worst'][number],
  why: CallJson['why'],
): CallJson => ({ recordingId: id, managerId, manager, at, score, why, missed })

/**
 * Stored reports can contain calls that were deleted or that the caller no longer sees. Returns a function that removes their
 * ids.
 */
async function loadCallLinker({ pool }: Core, actor: Actor, calls: CallJson[]): Promise<(call: CallJson) => CallJson> {
  const ids = calls.map(({ recordingId }) => recordingId)
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) =>
      `SELECT r.id FROM recordings r WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND ${p.and(visibleRecordingsCondition(actor))}`,
  )
  const found = new Set<string | null>(rows.map(({ id }) => id))
  return (call) => (found.has(call.recordingId) ? call : { ...call, recordingId: null })
}

/** Adds the second at which the most expensive missed rule of each call is heard, and whether its audio is stored. */
async function addPlaybackFields(core: Core, calls: CallJson[]): Promise<WeeklyReportJson['listen']> {
  const ids = calls.map(({ recordingId }) => recordingId).filter((id) => id !== null)
  const [missed, stored] = await Promise.all([
    listMissedRules(core, ids),
    queryRows<{ id: string | null }>(
      core.pool,
      (p) => `SELECT r.id FROM recordings r WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND r.size_bytes > 0`,
    ),
  ])
  return calls.map((call) => ({
    ...call,
    hearFrom: missed.find((rule) => rule.call === call.recordingId)?.moment ?? null,
    hasAudio: stored.some(({ id }) => id === call.recordingId),
  }))
}

/** Chooses the calls with the lowest scores of all managers, and those with the highest scores among the rest. */
function chooseRecommendedCalls(rows: WeeklyManagerRow[]): CallJson[] {
  const lowest = rows
    .flatMap((row) => row.worst.map((call) => describeCall(row, call, 'lowest')))
    .sort((a, b) => a.score - b.score || a.at.localeCompare(b.at))
    .slice(0, MAX_RECOMMENDED_CALLS)
  const highest = rows
    .flatMap((row) => row.best.map((call) => describeCall(row, call, 'highest')))
    .filter(({ recordingId }) => lowest.every((call) => call.recordingId !== recordingId))
    .sort((a, b) => b.score - a.score || a.at.localeCompare(b.at))
    .slice(0, MAX_RECOMMENDED_CALLS)
  return [...lowest, ...highest]
}
