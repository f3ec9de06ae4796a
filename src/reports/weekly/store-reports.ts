import type { Sql } from '../../platform/db/sql.ts'
import { Temporal } from 'temporal-polyfill'
import { ADVISORY_LOCK_KEYS, tryAdvisoryLock } from '../../platform/db/advisory-locks.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { IS_COUNTED_DEAL_SQL } from '../definitions/deals.ts'
import { mondayOf, parseIsoWeek, startOfDay, formatIsoWeek } from '../../platform/lib/period.ts'
import { loadWeekFigures, USUAL_RANGE_WEEKS } from './week-figures.ts'

/** The report of a week is due at this time on the following Monday, in APP_TIMEZONE. */
const READY_TIME = '07:00'
/** Late calls and their checks change a report for this many hours after it is due. */
const PROVISIONAL_HOURS = 48
/** A provisional report is recomputed after this many hours, to include late checks. */
const REFRESH_HOURS = 1

/**
 * Stores the report of the last due week, and recomputes it every hour while it is provisional. Final reports never change.
 * If all data arrived after the report was final, such as an imported history, it stores nothing, because data can still be
 * missing.
 * @param onStored runs in the transaction of each stored report, such as `2026-W12`
 */
export async function storeWeeklyReports(
  core: Pick<Core, 'db' | 'pool' | 'config'>,
  now = Temporal.Now.instant(),
  onStored?: (sql: Sql, week: string) => Promise<void>,
): Promise<void> {
  const timeZone = core.config.APP_TIMEZONE
  const due = computeLastDueReportMonday(now, timeZone)
  if ((await listMondaysToStore(core.pool, due, now, timeZone)).length === 0) return
  await runInTransaction(core.db, async (sql) => {
    // REPEATABLE READ computes all figures from one snapshot.
    await sql.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' })
    if (!(await tryAdvisoryLock(sql, ADVISORY_LOCK_KEYS.weeklyReports))) return
    for (const monday of await listMondaysToStore(sql, due, now, timeZone)) {
      await storeWeeklyReport(sql, monday, now, timeZone)
      await onStored?.(sql, formatIsoWeek(monday))
    }
  })
}

async function listMondaysToStore(sql: Sql, due: Temporal.PlainDate, now: Temporal.Instant, timeZone: string) {
  const { rows } = await sql.query<{ week: string; state: string; madeAt: Date }>({
    text: `SELECT week, state, made_at AS "madeAt" FROM weekly_reports WHERE week = $1 OR state = 'provisional' ORDER BY week`,
    values: [formatIsoWeek(due)],
  })
  const refreshBefore = now.subtract({ hours: REFRESH_HOURS }).epochMilliseconds
  const refreshable = rows
    .filter(({ state }) => state === 'provisional')
    .filter(({ week, madeAt }) => madeAt.getTime() <= refreshBefore || isFinal(parseIsoWeek(week), now, timeZone))
    .map(({ week }) => parseIsoWeek(week))
  if (rows.some(({ week }) => week === formatIsoWeek(due))) return refreshable
  return (await hasDataBeforeFinal(sql, due, timeZone)) ? [...refreshable, due] : refreshable
}

/** Returns true if calls or closed deals of the week or of the usual range before it were stored before the report was final. */
async function hasDataBeforeFinal(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<boolean> {
  const { rows } = await sql.query({
    text: `SELECT 1 FROM recordings WHERE call_at >= $1 AND call_at < $2 AND created_at < $3
           UNION ALL
           SELECT 1 FROM crm_deals d WHERE ${IS_COUNTED_DEAL_SQL} AND closed_at >= $1 AND closed_at < $2 AND changed_at < $3
            LIMIT 1`,
    values: [
      startOfDay(monday.subtract({ weeks: USUAL_RANGE_WEEKS }), timeZone),
      startOfDay(monday.add({ weeks: 1 }), timeZone),
      new Date(computeFinalTime(monday, timeZone).epochMilliseconds),
    ],
  })
  return rows.length > 0
}

async function storeWeeklyReport(
  sql: Sql,
  monday: Temporal.PlainDate,
  now: Temporal.Instant,
  timeZone: string,
): Promise<void> {
  const managers = await loadWeekFigures(sql, monday, timeZone)
  const state = isFinal(monday, now, timeZone) ? 'final' : 'provisional'
  await sql.query({
    text: `INSERT INTO weekly_reports AS w (week, state, made_at, timezone, managers) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (week) DO UPDATE
              SET state = excluded.state, made_at = excluded.made_at, timezone = excluded.timezone, managers = excluded.managers
            WHERE w.state = 'provisional'`,
    values: [formatIsoWeek(monday), state, new Date(now.epochMilliseconds), timeZone, JSON.stringify(managers)],
  })
}

/** Computes the Monday of the last week whose report is due. A report is due on the following Monday at 07:00. */
export function computeLastDueReportMonday(now: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  const last = mondayOf(now.toZonedDateTimeISO(timeZone).toPlainDate()).subtract({ weeks: 1 })
  return Temporal.Instant.compare(computeReadyTime(last, timeZone), now) <= 0 ? last : last.subtract({ weeks: 1 })
}

const computeReadyTime = (monday: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  monday.add({ weeks: 1 }).toZonedDateTime({ timeZone, plainTime: READY_TIME }).toInstant()

const computeFinalTime = (monday: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  computeReadyTime(monday, timeZone).add({ hours: PROVISIONAL_HOURS })

const isFinal = (monday: Temporal.PlainDate, now: Temporal.Instant, timeZone: string): boolean =>
  Temporal.Instant.compare(computeFinalTime(monday, timeZone), now) <= 0
