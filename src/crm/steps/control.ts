import type { Sql } from '../../platform/db/sql.ts'
import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import { isReadWhole } from '../calls/periods.ts'
import { crmMessages } from '../messages.ts'
import { countCalls } from '../bitrix24/calls.ts'
import { BATCH } from '../bitrix24/client.ts'
import { fetchDealsById } from '../bitrix24/deals.ts'
import { NONE, type Counts } from '../quarantine/store.ts'
import { hasSucceeded, MORE, type CrmStep, type Ended, type Reading } from './step.ts'
import { storeDealsById } from './store-deals.ts'

const DAYS = 3
const DAY_SECONDS = 86_400
/** After the last calls of the day were read, before people start working. */
const AT_HOUR = 3
/** Nights between passes over all deals. */
const DEALS_EVERY_DAYS = 7
/** If more calls or deals are missing, we assume lost permissions. */
const SHARE = 0.05
const FEW = 3

interface Position {
  dealsOn: string
}

interface Cursor {
  /** The day on which this run started. */
  today: string
  days: string[]
  /** Whether all deals are checked, or only those that were missing before. */
  allDeals: boolean
  lastDeal: string
  looked: number
  missing: string[]
}

/** Counts the portal's calls every night, even if no deals are read, so that lost permissions are reported. */
export const controlStep: CrmStep<Position, Cursor> = {
  name: 'control',
  intervalSeconds: DAY_SECONDS,
  nextAt: ({ config }) => nextNight(new Date(), config.APP_TIMEZONE),
  async *pages(core, reading) {
    const zone = core.config.APP_TIMEZONE
    let at = reading.cursor ?? begin(core, reading.position, await hasSucceeded(core, 'deals'))
    while (at.days.length > 0) {
      const [day, ...days] = at.days as [string, ...string[]]
      const count = await countCalls(core, reading.asking, periodOf(day, zone))
      at = { ...at, days }
      yield { cursor: at, store: (sql) => storeCount(sql, day, count, zone) }
    }
    for (;;) {
      const ids = await nextDeals(core, at)
      if (ids.length === 0) return
      const { rows, missing } = await fetchDealsById(core, reading.asking, ids)
      at = { ...at, lastDeal: ids.at(-1)!, looked: at.looked + ids.length, missing: [...at.missing, ...missing] }
      yield { cursor: at, store: (sql) => storeDealsById(sql, rows) }
    }
  },
  end: judge,
}

export function nextNight(after: Date, timeZone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timeZone)
  const tonight = now.startOfDay().with({ hour: AT_HOUR })
  const next = Temporal.ZonedDateTime.compare(tonight, now) > 0 ? tonight : tonight.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

function begin(core: Core, position: Position | undefined, hasDeals: boolean): Cursor {
  const today = Temporal.Now.plainDateISO(core.config.APP_TIMEZONE)
  const days = Array.from({ length: DAYS }, (_, n) => today.subtract({ days: n + 1 }).toString())
  const since = position && Temporal.PlainDate.from(position.dealsOn).until(today).total('days')
  const allDeals = hasDeals && (since === undefined || since >= DEALS_EVERY_DAYS)
  return { today: today.toString(), days, allDeals, lastDeal: '0', looked: 0, missing: [] }
}

function periodOf(day: string, zone: string): { from: Date; to: Date } {
  const date = Temporal.PlainDate.from(day)
  const [from, to] = [date, date.add({ days: 1 })].map((one) => new Date(one.toZonedDateTime(zone).epochMilliseconds))
  return { from: from!, to: to! }
}

/** Largest plausible number of calls in a day. */
const MOST_CALLS = 1e9

/** Stores a count. If it is far below the last count or our own, permissions were probably lost. */
async function storeCount(sql: Sql, day: string, count: number | undefined, timeZone: string): Promise<Counts> {
  if (!Number.isInteger(count) || count! < 0 || count! > MOST_CALLS) return NONE
  await sql.query({
    text: `INSERT INTO crm_controls AS c (day, portal_calls, own_calls, shrank_at)
           SELECT $1::date, $2::int, o.calls, CASE WHEN ${shrunk('o.calls')} THEN now() END
             FROM (SELECT count(*)::int AS calls FROM crm_calls
                    WHERE started_at >= $1::date::timestamp AT TIME ZONE $3
                      AND started_at < ($1::date + 1)::timestamp AT TIME ZONE $3) o
           ON CONFLICT (day) DO UPDATE SET portal_calls = excluded.portal_calls, own_calls = excluded.own_calls,
             shrank_at = CASE WHEN excluded.shrank_at IS NOT NULL OR ${shrunk('c.portal_calls')} THEN now() END, checked_at = now()`,
    values: [day, count, timeZone],
  })
  return { ...NONE, read: 1 }
}

/** Finds a fully read day of which the portal has many more calls. */
async function findDayWithMore(sql: Sql, today: string, timeZone: string) {
  const { rows } = await sql.query<{ day: string; calls: number }>({
    text: `SELECT day::text, portal_calls - own_calls AS calls FROM crm_controls c
            WHERE day > $1::date - ${DAYS + 1} AND portal_calls - own_calls > greatest(${FEW}, own_calls * ${SHARE})
              AND ${isReadWhole('c.day', '$2')} ORDER BY day LIMIT 1`,
    values: [today, timeZone],
  })
  return rows[0]
}

const shrunk = (before: string): string => `${before} - $2::int > greatest(${FEW}, ${before} * ${SHARE})`

async function nextDeals(core: Core, { allDeals, lastDeal }: Cursor): Promise<string[]> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT id FROM crm_deals d
            WHERE gone_at IS NULL AND id > $1 AND ${IN_FUNNEL_OF_DEPARTMENT} ${allDeals ? '' : 'AND missed_at IS NOT NULL'}
            ORDER BY id LIMIT ${BATCH}`,
    values: [lastDeal],
  })
  return rows.map(({ id }) => id)
}

/** Marks deals that were missing twice, a day apart, as gone. While permissions seem lost, it marks nothing. */
async function judge(
  core: Core,
  sql: Sql,
  { position }: Reading<Position, Cursor>,
  cursor: Cursor | undefined,
): Promise<Ended<Position>> {
  const unjudged = position ? { position } : {}
  if (!cursor) return unjudged
  const { today, allDeals, looked, missing } = cursor
  const { rows } = await sql.query<{ day: string }>({
    text: `SELECT day::text FROM crm_controls WHERE shrank_at IS NOT NULL AND day > $1::date - ${DAYS + 1} ORDER BY day`,
    values: [today],
  })
  if (rows[0]) return { ...unjudged, notice: crmMessages.fewerCalls({ day: rows[0].day }) }
  if (allDeals && missing.length > Math.max(FEW, looked * SHARE)) {
    return { ...unjudged, notice: crmMessages.dealsMissing({ missing: missing.length, looked }) }
  }
  await sql.query({
    text: `UPDATE crm_deals SET missed_at = coalesce(missed_at, now()), changed_at = now(),
                  gone_at = CASE WHEN missed_at <= now() - interval '20 hours' THEN now() END
            WHERE id = ANY ($1::bigint[])`,
    values: [missing],
  })
  const next = allDeals ? { position: { dealsOn: today } } : unjudged
  const unknown = await findDayWithMore(sql, today, core.config.APP_TIMEZONE)
  return unknown ? { ...next, notice: crmMessages.moreCalls(unknown), noticeCode: MORE } : next
}
