import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../core.ts'
import { transaction, type Sql } from '../../db.ts'
import { mondayOf, readWeek, weekName } from '../definitions/period.ts'
import { gatherWeek } from './gather.ts'

/** On Monday, of APP_TIMEZONE. */
const READY_AT = '07:00'
/** Calls that come late, and their checks, still change a report for so long. */
const PROVISIONAL_HOURS = 48
/** Only one worker at a time makes reports. */
const LOCK = 7361003

/**
 * Makes the report of the last week that is due, where there is none, and once more every provisional one whose time is
 * over. What is final stays as it is.
 */
export async function makeWeeklyReports(
  core: Pick<Core, 'db' | 'pool' | 'config'>,
  now = Temporal.Now.instant(),
): Promise<void> {
  const timeZone = core.config.APP_TIMEZONE
  const due = lastDue(now, timeZone)
  if ((await mondaysToMake(core.pool, due, now, timeZone)).length === 0) return
  await transaction(core.db, async (sql) => {
    // All figures of a report are of one moment.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' })
    const { rows } = await sql.query<{ ours: boolean }>({ text: `SELECT pg_try_advisory_xact_lock(${LOCK}) AS ours` })
    if (!rows[0]!.ours) return
    for (const monday of await mondaysToMake(sql, due, now, timeZone)) await make(sql, monday, now, timeZone)
  })
}

async function mondaysToMake(
  sql: Sql,
  due: Temporal.PlainDate,
  now: Temporal.Instant,
  timeZone: string,
): Promise<Temporal.PlainDate[]> {
  const { rows } = await sql.query<{ week: string; state: string }>({
    text: `SELECT week, state FROM weekly_reports WHERE week = $1 OR state = 'provisional' ORDER BY week`,
    values: [weekName(due)],
  })
  const over = rows
    .filter(({ state, week }) => state === 'provisional' && isFinal(readWeek(week), now, timeZone))
    .map(({ week }) => readWeek(week))
  return rows.some(({ week }) => week === weekName(due)) ? over : [...over, due]
}

async function make(sql: Sql, monday: Temporal.PlainDate, now: Temporal.Instant, timeZone: string): Promise<void> {
  const managers = await gatherWeek(sql, monday, timeZone)
  // An instance that has just begun is not to keep that there was nothing.
  if (managers.length === 0) return
  const state = isFinal(monday, now, timeZone) ? 'final' : 'provisional'
  await sql.query({
    text: `INSERT INTO weekly_reports AS w (week, state, made_at, timezone, managers) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (week) DO UPDATE
              SET state = excluded.state, made_at = excluded.made_at, timezone = excluded.timezone, managers = excluded.managers
            WHERE w.state = 'provisional'`,
    values: [weekName(monday), state, new Date(now.epochMilliseconds), timeZone, JSON.stringify(managers)],
  })
}

/** The Monday of the last week whose report is to be there. */
export function lastDue(now: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  const last = mondayOf(now.toZonedDateTimeISO(timeZone).toPlainDate()).subtract({ weeks: 1 })
  return Temporal.Instant.compare(readyAt(last, timeZone), now) <= 0 ? last : last.subtract({ weeks: 1 })
}

const readyAt = (monday: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  monday.add({ weeks: 1 }).toZonedDateTime({ timeZone, plainTime: READY_AT }).toInstant()

const isFinal = (monday: Temporal.PlainDate, now: Temporal.Instant, timeZone: string): boolean =>
  Temporal.Instant.compare(readyAt(monday, timeZone).add({ hours: PROVISIONAL_HOURS }), now) <= 0
