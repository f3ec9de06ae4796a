import type { Sql } from '../../platform/db/sql.ts'
import { Temporal } from 'temporal-polyfill'
import { LOCKS, tryLock } from '../../platform/db/advisory-locks.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { DEAL_COUNTS } from '../definitions/deals.ts'
import { mondayOf, readWeek, startOf, weekName } from '../../platform/lib/period.ts'
import { gatherWeek, WEEKS } from './gather.ts'

/** Monday, in APP_TIMEZONE. */
const READY_AT = '07:00'
/** Late calls and their checks change a report until then. */
const PROVISIONAL_HOURS = 48
/** The time until their checks are in the report. */
const REMADE_AFTER_HOURS = 1

/**
 * Makes the report of the last due week, and again every hour while it is provisional. Final reports stay as they are. If all
 * calls and deals came later, as a loaded history does, nothing is stored: a part of them can still be missing.
 */
export async function makeWeeklyReports(
  core: Pick<Core, 'db' | 'pool' | 'config'>,
  now = Temporal.Now.instant(),
): Promise<void> {
  const timeZone = core.config.APP_TIMEZONE
  const due = lastDue(now, timeZone)
  if ((await mondaysToMake(core.pool, due, now, timeZone)).length === 0) return
  await transaction(core.db, async (sql) => {
    // All figures of a report are as of one moment.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' })
    if (!(await tryLock(sql, LOCKS.weeklyReports))) return
    for (const monday of await mondaysToMake(sql, due, now, timeZone)) await make(sql, monday, now, timeZone)
  })
}

async function mondaysToMake(sql: Sql, due: Temporal.PlainDate, now: Temporal.Instant, timeZone: string) {
  const { rows } = await sql.query<{ week: string; state: string; madeAt: Date }>({
    text: `SELECT week, state, made_at AS "madeAt" FROM weekly_reports WHERE week = $1 OR state = 'provisional' ORDER BY week`,
    values: [weekName(due)],
  })
  const old = now.subtract({ hours: REMADE_AFTER_HOURS }).epochMilliseconds
  const again = rows
    .filter(({ state }) => state === 'provisional')
    .filter(({ week, madeAt }) => madeAt.getTime() <= old || isFinal(readWeek(week), now, timeZone))
    .map(({ week }) => readWeek(week))
  if (rows.some(({ week }) => week === weekName(due))) return again
  return (await wasInUse(sql, due, timeZone)) ? [...again, due] : again
}

/** Whether the database had any call or deal of the report's weeks before the report was final. */
async function wasInUse(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<boolean> {
  const { rows } = await sql.query({
    text: `SELECT 1 FROM recordings WHERE call_at >= $1 AND call_at < $2 AND created_at < $3
           UNION ALL
           SELECT 1 FROM crm_deals d WHERE ${DEAL_COUNTS} AND closed_at >= $1 AND closed_at < $2 AND changed_at < $3
            LIMIT 1`,
    values: [
      startOf(monday.subtract({ weeks: WEEKS - 1 }), timeZone),
      startOf(monday.add({ weeks: 1 }), timeZone),
      new Date(finalAt(monday, timeZone).epochMilliseconds),
    ],
  })
  return rows.length > 0
}

async function make(sql: Sql, monday: Temporal.PlainDate, now: Temporal.Instant, timeZone: string): Promise<void> {
  const managers = await gatherWeek(sql, monday, timeZone)
  const state = isFinal(monday, now, timeZone) ? 'final' : 'provisional'
  await sql.query({
    text: `INSERT INTO weekly_reports AS w (week, state, made_at, timezone, managers) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (week) DO UPDATE
              SET state = excluded.state, made_at = excluded.made_at, timezone = excluded.timezone, managers = excluded.managers
            WHERE w.state = 'provisional'`,
    values: [weekName(monday), state, new Date(now.epochMilliseconds), timeZone, JSON.stringify(managers)],
  })
}

/** The Monday of the last week for which a report is due. */
export function lastDue(now: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  const last = mondayOf(now.toZonedDateTimeISO(timeZone).toPlainDate()).subtract({ weeks: 1 })
  return Temporal.Instant.compare(readyAt(last, timeZone), now) <= 0 ? last : last.subtract({ weeks: 1 })
}

const readyAt = (monday: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  monday.add({ weeks: 1 }).toZonedDateTime({ timeZone, plainTime: READY_AT }).toInstant()

const finalAt = (monday: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  readyAt(monday, timeZone).add({ hours: PROVISIONAL_HOURS })

const isFinal = (monday: Temporal.PlainDate, now: Temporal.Instant, timeZone: string): boolean =>
  Temporal.Instant.compare(finalAt(monday, timeZone), now) <= 0
