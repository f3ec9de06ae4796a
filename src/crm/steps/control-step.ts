import type { Sql } from '../../platform/db/sql.ts'
import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import { IS_IN_DEPARTMENT_FUNNEL_SQL } from '../../people/departments/funnels.ts'
import { dayFullyReadSql } from '../calls/read-periods.ts'
import { crmMessages } from '../messages.ts'
import { fetchPortalCallCount } from '../bitrix24/calls.ts'
import { MAX_PORTAL_BATCH_COMMANDS } from '../bitrix24/client.ts'
import { fetchDealsById } from '../bitrix24/deals.ts'
import { ZERO_PAGE_COUNTS, type CrmPageCounts } from '../quarantine/store.ts'
import {
  hasCrmStepSucceeded,
  STEP_MORE_CALLS_CODE,
  type CrmStep,
  type CrmStepPassResult,
  type CrmStepContext,
} from './crm-step.ts'
import { storeDealsFetchedById } from './store-deals.ts'

const CONTROLLED_DAYS = 3
const DAY_SECONDS = 86_400
/** The last calls of the day were read by then, and people have not started to work. */
const CONTROL_HOUR = 3
const DEAL_PASS_INTERVAL_DAYS = 7
/** If a larger share and number of calls or deals is missing, the webhook probably lost permissions. */
const MAX_MISSING_SHARE = 0.05
const MAX_MISSING_COUNT = 3

interface Position {
  dealsOn: string
}

interface Cursor {
  today: string
  days: string[]
  /** Whether all deals are checked, or only those that were missing before. */
  allDeals: boolean
  lastDeal: string
  looked: number
  missing: string[]
}

/**
 * Compares the number of calls with the portal every night, so that lost permissions are reported.
 * It also finds deals that are missing in the portal.
 */
export const crmControlStep: CrmStep<Position, Cursor> = {
  name: 'control',
  intervalSeconds: DAY_SECONDS,
  nextAt: ({ config }) => computeNextCrmControlTime(new Date(), config.APP_TIMEZONE),
  async *pages(core, context) {
    const zone = core.config.APP_TIMEZONE
    let current = context.cursor ?? createCursor(core, context.position, await hasCrmStepSucceeded(core, 'deals'))
    while (current.days.length > 0) {
      const [day, ...days] = current.days as [string, ...string[]]
      const count = await fetchPortalCallCount(core, context.access, parseDayPeriod(day, zone))
      current = { ...current, days }
      yield { cursor: current, store: (sql) => storeCount(sql, day, count, zone) }
    }
    for (;;) {
      const ids = await listNextDealIds(core, current)
      if (ids.length === 0) return
      const { rows, missing } = await fetchDealsById(core, context.access, ids)
      current = {
        ...current,
        lastDeal: ids.at(-1)!,
        looked: current.looked + ids.length,
        missing: [...current.missing, ...missing],
      }
      yield { cursor: current, store: (sql) => storeDealsFetchedById(sql, rows) }
    }
  },
  end: flagMissingDeals,
}

/**
 * Returns the next time of the nightly control.
 * @param after the end of the last run
 */
export function computeNextCrmControlTime(after: Date, timeZone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timeZone)
  const tonight = now.startOfDay().with({ hour: CONTROL_HOUR })
  const next = Temporal.ZonedDateTime.compare(tonight, now) > 0 ? tonight : tonight.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

function createCursor(core: Core, position: Position | undefined, hasDeals: boolean): Cursor {
  const today = Temporal.Now.plainDateISO(core.config.APP_TIMEZONE)
  const days = Array.from({ length: CONTROLLED_DAYS }, (_, n) => today.subtract({ days: n + 1 }).toString())
  const since = position && Temporal.PlainDate.from(position.dealsOn).until(today).total('days')
  const allDeals = hasDeals && (since === undefined || since >= DEAL_PASS_INTERVAL_DAYS)
  return { today: today.toString(), days, allDeals, lastDeal: '0', looked: 0, missing: [] }
}

function parseDayPeriod(day: string, zone: string): { from: Date; to: Date } {
  const date = Temporal.PlainDate.from(day)
  const [from, to] = [date, date.add({ days: 1 })].map(
    (midnight) => new Date(midnight.toZonedDateTime(zone).epochMilliseconds),
  )
  return { from: from!, to: to! }
}

/** Larger counts are invalid. */
const MAX_CALLS_PER_DAY = 1e9

/** A count far below the last one or our own means that permissions were probably lost. */
async function storeCount(sql: Sql, day: string, count: number | undefined, timeZone: string): Promise<CrmPageCounts> {
  if (!Number.isInteger(count) || count! < 0 || count! > MAX_CALLS_PER_DAY) return ZERO_PAGE_COUNTS
  await sql.query({
    text: `INSERT INTO crm_controls AS c (day, portal_calls, own_calls, shrank_at)
           SELECT $1::date, $2::int, o.calls, CASE WHEN ${shrunkCondition('o.calls')} THEN now() END
             FROM (SELECT count(*)::int AS calls FROM crm_calls
                    WHERE started_at >= $1::date::timestamp AT TIME ZONE $3
                      AND started_at < ($1::date + 1)::timestamp AT TIME ZONE $3) o
           ON CONFLICT (day) DO UPDATE SET portal_calls = excluded.portal_calls, own_calls = excluded.own_calls,
             shrank_at = CASE WHEN excluded.shrank_at IS NOT NULL OR ${shrunkCondition('c.portal_calls')} THEN now() END, checked_at = now()`,
    values: [day, count, timeZone],
  })
  return { ...ZERO_PAGE_COUNTS, read: 1 }
}

/** Finds a completely read day with many more calls in the portal than in our database. */
async function findDayWithUnknownCalls(sql: Sql, today: string, timeZone: string) {
  const { rows } = await sql.query<{ day: string; calls: number }>({
    text: `SELECT day::text, portal_calls - own_calls AS calls FROM crm_controls c
            WHERE day > $1::date - ${CONTROLLED_DAYS + 1} AND portal_calls - own_calls > greatest(${MAX_MISSING_COUNT}, own_calls * ${MAX_MISSING_SHARE})
              AND ${dayFullyReadSql('c.day', '$2')} ORDER BY day LIMIT 1`,
    values: [today, timeZone],
  })
  return rows[0]
}

const shrunkCondition = (before: string): string =>
  `${before} - $2::int > greatest(${MAX_MISSING_COUNT}, ${before} * ${MAX_MISSING_SHARE})`

async function listNextDealIds(core: Core, { allDeals, lastDeal }: Cursor): Promise<string[]> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT id FROM crm_deals d
            WHERE gone_at IS NULL AND id > $1 AND ${IS_IN_DEPARTMENT_FUNNEL_SQL} ${allDeals ? '' : 'AND missed_at IS NOT NULL'}
            ORDER BY id LIMIT ${MAX_PORTAL_BATCH_COMMANDS}`,
    values: [lastDeal],
  })
  return rows.map(({ id }) => id)
}

/**
 * Flags the deals of the pass that are missing in the portal, and as gone if they were already missing 20 hours before.
 * It flags nothing if permissions were probably lost.
 */
async function flagMissingDeals(
  core: Core,
  sql: Sql,
  { position }: CrmStepContext<Position, Cursor>,
  cursor: Cursor | undefined,
): Promise<CrmStepPassResult<Position>> {
  const unchangedResult = position ? { position } : {}
  if (!cursor) return unchangedResult
  const { today, allDeals, looked, missing } = cursor
  const { rows } = await sql.query<{ day: string }>({
    text: `SELECT day::text FROM crm_controls WHERE shrank_at IS NOT NULL AND day > $1::date - ${CONTROLLED_DAYS + 1} ORDER BY day`,
    values: [today],
  })
  if (rows[0]) return { ...unchangedResult, notice: crmMessages.fewerCalls({ day: rows[0].day }) }
  if (allDeals && missing.length > Math.max(MAX_MISSING_COUNT, looked * MAX_MISSING_SHARE)) {
    return { ...unchangedResult, notice: crmMessages.dealsMissing({ missing: missing.length, looked }) }
  }
  await sql.query({
    text: `UPDATE crm_deals SET missed_at = coalesce(missed_at, now()), changed_at = now(),
                  gone_at = CASE WHEN missed_at <= now() - interval '20 hours' THEN now() END
            WHERE id = ANY ($1::bigint[])`,
    values: [missing],
  })
  const next = allDeals ? { position: { dealsOn: today } } : unchangedResult
  const unknownCalls = await findDayWithUnknownCalls(sql, today, core.config.APP_TIMEZONE)
  return unknownCalls
    ? { ...next, notice: crmMessages.moreCalls(unknownCalls), noticeCode: STEP_MORE_CALLS_CODE }
    : next
}
