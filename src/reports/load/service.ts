import { Temporal } from 'temporal-polyfill'
import { sumField } from '../definitions/figures.ts'
import { mondayOf, parsePeriod, startOfDay, type Period } from '../../platform/lib/period.ts'
import { queryRows } from '../query-rows.ts'
import { listManagerIds, periodCondition, managerCondition, spanNumberSql, type ReportScope } from '../scope.ts'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { CallLoadEntry, CallLoadInterval, CallLoad, StatsOverviewQuery } from './schema.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/**
 * Counts received, transcribed, failed and cancelled calls per day, week or month, among the calls that the actor sees.
 * @throws HttpError 400 for an invalid or too long period
 */
export async function loadCallLoad(core: Core, actor: Actor, query: StatsOverviewQuery) {
  const most = query.interval === 'day' ? MAX_DAYS : 10 * MAX_DAYS
  const period = parsePeriod(query, core.config.APP_TIMEZONE, { days: DEFAULT_DAYS, most })
  const scope = { period, managers: await listManagerIds(core, actor, query) }
  const spans = splitIntoSpans(period, query.interval)
  // With by=call, everything counts on the day of the call, otherwise each event on its own day.
  const [received, ended] = query.by === 'call' ? ['call_at', 'call_at'] : ['created_at', 'finished_at']
  const [counts, ends] = await Promise.all([
    countCallsBySpan(core, scope, spans, received, 'count(*)::int AS received'),
    countCallsBySpan(core, scope, spans, ended, OUTCOME_COUNTS_SQL),
  ])
  const days = spans.map(({ day }, n): CallLoadEntry => ({
    day,
    ...EMPTY_LOAD,
    ...counts.get(n + 1),
    ...ends.get(n + 1),
  }))
  return { days: days.map(roundLoad), totals: roundLoad(sumLoads(days)) }
}

const EMPTY_LOAD: CallLoad = { received: 0, done: 0, failed: 0, cancelled: 0, audioSeconds: 0, meanWaitSeconds: null }

const OUTCOME_COUNTS_SQL = `
  count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(*) FILTER (WHERE r.status = 'FAILED')::int AS failed,
  count(*) FILTER (WHERE r.status = 'CANCELLED')::int AS cancelled,
  coalesce(sum(r.duration_seconds) FILTER (WHERE r.status = 'DONE'), 0) AS "audioSeconds",
  extract(epoch FROM avg(r.started_at - r.created_at) FILTER (WHERE r.status = 'DONE'))::float8 AS "meanWaitSeconds"`

/** `day` is the first day of the span within the period, in the format 2026-03-01. */
interface Span {
  day: string
  since: Date
}

function splitIntoSpans({ from, to, timeZone }: Period, interval: CallLoadInterval): Span[] {
  const spans: Span[] = []
  for (let day = from; Temporal.PlainDate.compare(day, to) <= 0; day = startOfNextSpan(day, interval)) {
    spans.push({ day: day.toString(), since: startOfDay(day, timeZone) })
  }
  return spans
}

function startOfNextSpan(day: Temporal.PlainDate, interval: CallLoadInterval): Temporal.PlainDate {
  if (interval === 'day') return day.add({ days: 1 })
  return interval === 'week' ? mondayOf(day).add({ days: 7 }) : day.with({ day: 1 }).add({ months: 1 })
}

/** Grouping by the number of the span costs Postgres less than grouping by days of a time zone. */
async function countCallsBySpan(
  { pool }: Core,
  { period, managers }: ReportScope,
  spans: Span[],
  column: string,
  counts: string,
) {
  const rows = await queryRows<Partial<CallLoad> & { n: number }>(
    pool,
    (p) => `SELECT ${spanNumberSql(p, `r.${column}`, spans)} AS n, ${counts} FROM recordings r
             WHERE ${periodCondition(p, period, `r.${column}`)} AND ${p.and(managerCondition(managers))} GROUP BY 1`,
  )
  return new Map(rows.map(({ n, ...load }) => [n, load]))
}

function sumLoads(days: CallLoadEntry[]): CallLoad {
  const done = sumField(days, 'done')
  const waits = days.map((day) => ({ seconds: (day.meanWaitSeconds ?? 0) * day.done }))
  return {
    received: sumField(days, 'received'),
    done,
    failed: sumField(days, 'failed'),
    cancelled: sumField(days, 'cancelled'),
    audioSeconds: sumField(days, 'audioSeconds'),
    meanWaitSeconds: done === 0 ? null : sumField(waits, 'seconds') / done,
  }
}

const roundTenths = (value: number): number => Math.round(value * 10) / 10

function roundLoad<T extends CallLoad>(load: T): T {
  const { audioSeconds, meanWaitSeconds } = load
  return {
    ...load,
    audioSeconds: roundTenths(audioSeconds),
    meanWaitSeconds: meanWaitSeconds === null ? null : roundTenths(meanWaitSeconds),
  }
}
