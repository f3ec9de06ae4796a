import { readPeriod } from '../analytics/definitions/period.ts'
import type { Core } from '../core.ts'
import type { Actor } from '../http/access.ts'
import { Parameters } from '../lib/where.ts'
import { visibleTo } from '../managers/visibility.ts'
import { ofManagers } from '../recordings/list/select.ts'
import type { DayLoad, Load, OverviewQuery } from './schema.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/**
 * Load per day, week or month over what the actor may see.
 * @throws HttpError 400 for what is no day and no time, and for a range that is empty or too long
 */
export async function describeLoad(core: Core, actor: Actor, query: OverviewQuery) {
  const most = query.interval === 'day' ? MAX_DAYS : 10 * MAX_DAYS
  const { from, to, since, until } = readPeriod(query, core.config.APP_TIMEZONE, { days: DEFAULT_DAYS, most })
  const p = new Parameters()
  const [first, last, zone] = [from.toString(), to.toString(), core.config.APP_TIMEZONE].map((value) => p.add(value))
  const chosen = p.and([...visibleTo(actor), ...ofManagers(query)])
  const span = `date_trunc('${query.interval}', `
  const [start, end] = [since, until].map((value) => `${p.add(value)}::timestamptz`)
  const within = (column: string) => `${column} >= ${start} AND ${column} < ${end}`
  const day = (column: string) => `${span}(${column} AT TIME ZONE ${zone}))`
  // By the day of the call everything is counted there, else each thing on the day when it happened.
  const [received, ended] = query.by === 'call' ? ['r.call_at', 'r.call_at'] : ['r.created_at', 'r.finished_at']
  const { rows: days } = await core.pool.query<DayLoad>({
    text: `
      WITH received AS (
        SELECT ${day(received)} AS day, count(*)::int AS received
          FROM recordings r WHERE ${within(received)} AND ${chosen} GROUP BY 1
      ),
      ended AS (
        SELECT ${day(ended)} AS day,
               count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
               count(*) FILTER (WHERE r.status = 'FAILED')::int AS failed,
               count(*) FILTER (WHERE r.status = 'CANCELLED')::int AS cancelled,
               sum(r.duration_seconds) FILTER (WHERE r.status = 'DONE') AS audio,
               avg(extract(epoch FROM r.started_at - r.created_at)) FILTER (WHERE r.status = 'DONE')::float AS wait
          FROM recordings r WHERE ${within(ended)} AND ${chosen} GROUP BY 1
      )
      SELECT to_char(greatest(d, ${first}::date::timestamp), 'YYYY-MM-DD') AS day, coalesce(received, 0) AS received,
             coalesce(done, 0) AS done, coalesce(failed, 0) AS failed, coalesce(cancelled, 0) AS cancelled,
             coalesce(audio, 0) AS "audioSeconds", wait AS "meanWaitSeconds"
        FROM generate_series(${span}${first}::date::timestamp), ${last}::date::timestamp, interval '1 ${query.interval}') d
        LEFT JOIN received ON received.day = d LEFT JOIN ended ON ended.day = d
       ORDER BY d`,
    values: p.values,
  })
  return { days: days.map(rounded), totals: rounded(sum(days)) }
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
