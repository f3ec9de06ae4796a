import { Temporal } from 'temporal-polyfill'
import { total } from '../definitions/figures.ts'
import { mondayOf, readPeriod, startOf, type Period } from '../../platform/lib/period.ts'
import { queryRows } from '../query-rows.ts'
import { findManagers, inPeriod, managerCondition, spanNumber, type Scope } from '../scope.ts'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { DayLoad, Interval, Load, OverviewQuery } from './schema.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/** Load per day, week or month over the calls that the actor sees. @throws HttpError 400 for an invalid or too long period */
export async function describeLoad(core: Core, actor: Actor, query: OverviewQuery) {
  const most = query.interval === 'day' ? MAX_DAYS : 10 * MAX_DAYS
  const period = readPeriod(query, core.config.APP_TIMEZONE, { days: DEFAULT_DAYS, most })
  const scope = { period, managers: await findManagers(core, actor, query) }
  const spans = spansOf(period, query.interval)
  // By the day of the call everything counts on that day, else each event on its own day.
  const [received, ended] = query.by === 'call' ? ['call_at', 'call_at'] : ['created_at', 'finished_at']
  const [counts, ends] = await Promise.all([
    countBySpan(core, scope, spans, received, 'count(*)::int AS received'),
    countBySpan(core, scope, spans, ended, ENDED),
  ])
  const days = spans.map(({ day }, n): DayLoad => ({ day, ...NOTHING, ...counts.get(n + 1), ...ends.get(n + 1) }))
  return { days: days.map(rounded), totals: rounded(sum(days)) }
}

const NOTHING: Load = { received: 0, done: 0, failed: 0, cancelled: 0, audioSeconds: 0, meanWaitSeconds: null }

const ENDED = `
  count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(*) FILTER (WHERE r.status = 'FAILED')::int AS failed,
  count(*) FILTER (WHERE r.status = 'CANCELLED')::int AS cancelled,
  coalesce(sum(r.duration_seconds) FILTER (WHERE r.status = 'DONE'), 0) AS "audioSeconds",
  extract(epoch FROM avg(r.started_at - r.created_at) FILTER (WHERE r.status = 'DONE'))::float8 AS "meanWaitSeconds"`

/** A day, week or month, by its first day in the period. */
interface Span {
  day: string
  since: Date
}

function spansOf({ from, to, timeZone }: Period, interval: Interval): Span[] {
  const spans: Span[] = []
  for (let day = from; Temporal.PlainDate.compare(day, to) <= 0; day = nextOf(day, interval)) {
    spans.push({ day: day.toString(), since: startOf(day, timeZone) })
  }
  return spans
}

function nextOf(day: Temporal.PlainDate, interval: Interval): Temporal.PlainDate {
  if (interval === 'day') return day.add({ days: 1 })
  return interval === 'week' ? mondayOf(day).add({ days: 7 }) : day.with({ day: 1 }).add({ months: 1 })
}

/** Counts calls by the number of their span from 1, which costs Postgres less than days of a time zone. */
async function countBySpan({ pool }: Core, { period, managers }: Scope, spans: Span[], column: string, counts: string) {
  const rows = await queryRows<Partial<Load> & { n: number }>(
    pool,
    (p) => `SELECT ${spanNumber(p, `r.${column}`, spans)} AS n, ${counts} FROM recordings r
             WHERE ${inPeriod(p, period, `r.${column}`)} AND ${p.and(managerCondition(managers))} GROUP BY 1`,
  )
  return new Map(rows.map(({ n, ...load }) => [n, load]))
}

function sum(days: DayLoad[]): Load {
  const done = total(days, 'done')
  const waits = days.map((day) => ({ seconds: (day.meanWaitSeconds ?? 0) * day.done }))
  return {
    received: total(days, 'received'),
    done,
    failed: total(days, 'failed'),
    cancelled: total(days, 'cancelled'),
    audioSeconds: total(days, 'audioSeconds'),
    meanWaitSeconds: done === 0 ? null : total(waits, 'seconds') / done,
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10

function rounded<T extends Load>(load: T): T {
  const { audioSeconds, meanWaitSeconds } = load
  return {
    ...load,
    audioSeconds: tenths(audioSeconds),
    meanWaitSeconds: meanWaitSeconds === null ? null : tenths(meanWaitSeconds),
  }
}
