import type { Actor } from '../../platform/http/actor.ts'
import { Temporal } from 'temporal-polyfill'
import { mondayOf, readPeriod, startOf, type Period } from '../../platform/lib/period.ts'
import { managersOf, of, type Managers } from '../scope.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import type { DayLoad, Interval, Load, OverviewQuery } from './schema.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/**
 * Load per day, week or month over what the actor may see.
 * @throws HttpError 400 for what is no day and no time, and for a range that is empty or too long
 */
export async function describeLoad(core: Core, actor: Actor, query: OverviewQuery) {
  const most = query.interval === 'day' ? MAX_DAYS : 10 * MAX_DAYS
  const period = readPeriod(query, core.config.APP_TIMEZONE, { days: DEFAULT_DAYS, most })
  const scope = { period, spans: spansOf(period, query.interval), managers: await managersOf(core, actor, query) }
  // By the day of the call everything is counted there, else each thing on the day when it happened.
  const [received, ended] =
    query.by === 'call' ? (['call_at', 'call_at'] as const) : (['created_at', 'finished_at'] as const)
  const [counts, ends] = await Promise.all([countReceived(core, scope, received), countEnded(core, scope, ended)])
  const days = scope.spans.map(({ day }, n): DayLoad => ({ day, ...NOTHING, ...counts.get(n + 1), ...ends.get(n + 1) }))
  return { days: days.map(rounded), totals: rounded(sum(days)) }
}

const NOTHING: Load = { received: 0, done: 0, failed: 0, cancelled: 0, audioSeconds: 0, meanWaitSeconds: null }

/** A day, week or month, by its first day that lies in the period. */
interface Span {
  day: string
  since: Date
}

/** What is counted: all calls of a period, or those of managers, by spans. */
interface Scope {
  period: Period
  spans: Span[]
  managers: Managers
}

function spansOf({ from, to, timeZone }: Period, interval: Interval): Span[] {
  const spans: Span[] = []
  for (let day = from; Temporal.PlainDate.compare(day, to) <= 0; day = nextOf(day, interval)) {
    spans.push({ day: day.toString(), since: startOf(day, timeZone) })
  }
  return spans
}

/** The first day of the next span. */
function nextOf(day: Temporal.PlainDate, interval: Interval): Temporal.PlainDate {
  if (interval === 'day') return day.add({ days: 1 })
  return interval === 'week' ? mondayOf(day).add({ days: 7 }) : day.with({ day: 1 }).add({ months: 1 })
}

/** The calls of a scope by the number of their span from 1, which costs Postgres less than days of a zone. */
function bySpan(p: Parameters, { period, spans, managers }: Scope, column: string, counts: string) {
  const [since, until] = [period.since, period.until].map((bound) => `${p.add(bound)}::timestamptz`)
  return `SELECT width_bucket(r.${column}, ${p.add(spans.map((span) => span.since))}::timestamptz[]) AS n, ${counts}
            FROM recordings r WHERE r.${column} >= ${since} AND r.${column} < ${until} AND ${p.and(of(managers))} GROUP BY 1`
}

async function countReceived({ pool }: Core, scope: Scope, column: 'created_at' | 'call_at') {
  const p = new Parameters()
  const text = bySpan(p, scope, column, 'count(*)::int AS received')
  const { rows } = await pool.query<Pick<Load, 'received'> & { n: number }>({ text, values: p.values })
  return new Map(rows.map(({ n, ...counts }) => [n, counts]))
}

async function countEnded({ pool }: Core, scope: Scope, column: 'finished_at' | 'call_at') {
  const p = new Parameters()
  const counts = `
    count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
    count(*) FILTER (WHERE r.status = 'FAILED')::int AS failed,
    count(*) FILTER (WHERE r.status = 'CANCELLED')::int AS cancelled,
    coalesce(sum(r.duration_seconds) FILTER (WHERE r.status = 'DONE'), 0) AS "audioSeconds",
    extract(epoch FROM avg(r.started_at - r.created_at) FILTER (WHERE r.status = 'DONE'))::float8 AS "meanWaitSeconds"`
  const text = bySpan(p, scope, column, counts)
  const { rows } = await pool.query<Omit<Load, 'received'> & { n: number }>({ text, values: p.values })
  return new Map(rows.map(({ n, ...load }) => [n, load]))
}

function sum(days: DayLoad[]): Load {
  const total = (count: (day: DayLoad) => number) => days.reduce((all, day) => all + count(day), 0)
  const done = total((day) => day.done)
  return {
    received: total((day) => day.received),
    done,
    failed: total((day) => day.failed),
    cancelled: total((day) => day.cancelled),
    audioSeconds: total((day) => day.audioSeconds),
    meanWaitSeconds: done === 0 ? null : total((day) => (day.meanWaitSeconds ?? 0) * day.done) / done,
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
