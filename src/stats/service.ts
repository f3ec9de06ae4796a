import { Temporal } from 'temporal-polyfill'
import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import { badRequest } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { parseTime } from '../lib/time.ts'
import { visibleTo } from '../recordings/policy.ts'
import type { DayLoad, Load } from './schema.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/**
 * Load per day over what the actor may see.
 * @throws HttpError 400 for what is no day and no time, and for a range that is empty or too long
 */
export async function describeLoad(core: Core, actor: Actor, range: { from?: string; to?: string }) {
  const { from, to } = readRange(range, core.config.APP_TIMEZONE)
  const { name, condition, values } = visibleTo(actor)
  const [first, last, zone] = [1, 2, 3].map((n) => `$${values.length + n}`)
  const { rows: days } = await pool(core.db).query<DayLoad>({
    name: `overview-${name}`,
    text: `
      WITH bounds AS (
        SELECT ${first}::date::timestamp AT TIME ZONE ${zone} AS since,
               (${last}::date + 1)::timestamp AT TIME ZONE ${zone} AS until
      ),
      received AS (
        SELECT (r.created_at AT TIME ZONE ${zone})::date AS day, count(*)::int AS received
          FROM recordings r, bounds WHERE r.created_at >= since AND r.created_at < until AND ${condition} GROUP BY 1
      ),
      ended AS (
        SELECT (r.finished_at AT TIME ZONE ${zone})::date AS day,
               count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
               count(*) FILTER (WHERE r.status = 'FAILED')::int AS failed,
               count(*) FILTER (WHERE r.status = 'CANCELLED')::int AS cancelled,
               sum(r.duration_seconds) FILTER (WHERE r.status = 'DONE') AS audio,
               avg(extract(epoch FROM r.started_at - r.created_at)) FILTER (WHERE r.status = 'DONE')::float AS wait
          FROM recordings r, bounds WHERE r.finished_at >= since AND r.finished_at < until AND ${condition} GROUP BY 1
      )
      SELECT to_char(d, 'YYYY-MM-DD') AS day, coalesce(received, 0) AS received, coalesce(done, 0) AS done,
             coalesce(failed, 0) AS failed, coalesce(cancelled, 0) AS cancelled, coalesce(audio, 0) AS "audioSeconds",
             wait AS "meanWaitSeconds"
        FROM generate_series(${first}::date::timestamp, ${last}::date::timestamp, interval '1 day') d
        LEFT JOIN received ON received.day = d::date LEFT JOIN ended ON ended.day = d::date
       ORDER BY d`,
    values: [...values, from.toString(), to.toString(), core.config.APP_TIMEZONE],
  })
  return { days: days.map(rounded), totals: rounded(sum(days)) }
}

/** The first and the last day. */
function readRange(given: { from?: string; to?: string }, timeZone: string) {
  const day = (name: 'from' | 'to') => given[name]?.trim() && readDay(name, given[name], timeZone)
  const last = day('to')
  const first = day('from')
  const to = last || Temporal.Now.plainDateISO(timeZone)
  const from = first || to.subtract({ days: DEFAULT_DAYS - 1 })
  const days = from.until(to).days + 1
  if (days < 1) throw badRequest(['from must not be after to'])
  if (days > MAX_DAYS) throw badRequest([`from must be at most ${MAX_DAYS - 1} days before to`])
  return { from, to }
}

/** A day, or the day of a time. */
function readDay(name: string, text: string, timeZone: string): Temporal.PlainDate {
  const noon = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T12:00` : text
  const time = parseTime(noon, timeZone)
  const day = time && Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  // Further away the database and the calendar disagree about what a year is.
  if (day && day.year >= 1000 && day.year <= 9999) return day
  throw badRequest([`${name} must be a day such as 2026-03-01, or an ISO 8601 time`])
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
