import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import { crmMessages } from '../messages.ts'
import { isReadWhole } from '../calls/periods.ts'
import { callPortal } from '../bitrix24/client.ts'
import { filterTime, idOf } from '../bitrix24/values.ts'
import { readDealsById } from './deals.ts'
import { storeDealsById } from './store-deals.ts'
import { MORE, NONE, type Counts, type CrmStep, type Ended, type ReadPage, type Reading } from './step.ts'
import { hasSucceeded } from './waits.ts'

const DAYS = 3
const DAY_SECONDS = 86_400
/** After the last calls of the day were read, and before anybody works. */
const AT_HOUR = 3
/** So many nights from one look at every deal to the next. */
const DEALS_EVERY_DAYS = 7
const BATCH = 50
/** More calls or deals missing than this share of them look as if rights had shrunk. */
const SHARE = 0.05
const FEW = 3

interface Position {
  /** The day on which every deal was looked at last. */
  dealsOn: string
}

interface Cursor {
  /** The day that this run is of, as it began. */
  today: string
  /** Days whose calls are still to be counted. */
  days: string[]
  /** Whether every deal is looked at, or only those that were missing before. */
  allDeals: boolean
  lastDeal: string
  looked: number
  missing: string[]
}

/**
 * Every night: counts what the portal has of the last days, and looks for deals that are gone. It waits for nothing, so that
 * rights on calls that have shrunk are told where no deals are read; the first time it runs at once.
 */
export const controlStep: CrmStep<Position, Cursor> = {
  name: 'control',
  intervalSeconds: DAY_SECONDS,
  nextAt: ({ config }) => nextNight(new Date(), config.APP_TIMEZONE),
  waitsFor: () => Promise.resolve(null),
  pages: control,
  end: judge,
}

export function nextNight(after: Date, timeZone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timeZone)
  const tonight = now.startOfDay().with({ hour: AT_HOUR })
  const next = Temporal.ZonedDateTime.compare(tonight, now) > 0 ? tonight : tonight.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

async function* control(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  let at = reading.cursor ?? begin(core, reading.position, await hasSucceeded(core, 'deals'))
  while (at.days.length > 0) {
    const [day, ...days] = at.days as [string, ...string[]]
    const count = await countDay(core, reading, day)
    at = { ...at, days }
    yield { cursor: at, store: (sql) => keepCount(sql, day, count, core.config.APP_TIMEZONE), more: true }
  }
  for (;;) {
    const ids = await nextDeals(core, at)
    if (ids.length === 0) return
    const rows = await readDealsById(core, reading.asking, ids)
    const found = new Set(rows.map(({ id }) => idOf(id)))
    const missing = ids.filter((id) => !found.has(id))
    at = { ...at, lastDeal: ids.at(-1)!, looked: at.looked + ids.length, missing: [...at.missing, ...missing] }
    yield { cursor: at, store: (sql) => storeDealsById(sql, rows, reading.generation), more: true }
  }
}

function begin(core: Core, position: Position | undefined, hasDeals: boolean): Cursor {
  const today = Temporal.Now.plainDateISO(core.config.APP_TIMEZONE)
  const days = Array.from({ length: DAYS }, (_, n) => today.subtract({ days: n + 1 }).toString())
  const since = position && Temporal.PlainDate.from(position.dealsOn).until(today).total('days')
  const allDeals = hasDeals && (since === undefined || since >= DEALS_EVERY_DAYS)
  return { today: today.toString(), days, allDeals, lastDeal: '0', looked: 0, missing: [] }
}

async function countDay(core: Core, { asking }: Reading<Position, Cursor>, day: string): Promise<number | undefined> {
  const date = Temporal.PlainDate.from(day)
  const [from, to] = [date, date.add({ days: 1 })].map((one) => one.toZonedDateTime(core.config.APP_TIMEZONE))
  const iso = (time: Temporal.ZonedDateTime | undefined) => filterTime(new Date(time!.epochMilliseconds))
  const { total } = await callPortal(core, asking, 'voximplant.statistic.get', {
    FILTER: { '>=CALL_START_DATE': iso(from), '<CALL_START_DATE': iso(to) },
    SORT: 'ID',
    ORDER: 'ASC',
    start: 0,
  })
  return total
}

/** Largest plausible number of calls in a day. */
const MOST_CALLS = 1e9

/** A day of which the portal tells much less than it did, or than is here, shows that rights have shrunk. */
async function keepCount(sql: Sql, day: string, count: number | undefined, timeZone: string): Promise<Counts> {
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

/** A day that was read whole, and of which the portal has many calls that are not here. */
async function dayWithMore(sql: Sql, today: string, timeZone: string) {
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

/**
 * A deal that is missing twice, a day apart, is gone. Nothing is marked while it looks as if rights had shrunk: every deal is
 * looked at again the next night, so that the alarm stands until they are back.
 */
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
  if (rows[0]) {
    return { ...unjudged, notice: crmMessages.fewerCalls({ day: rows[0].day }) }
  }
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
  const unknown = await dayWithMore(sql, today, core.config.APP_TIMEZONE)
  return unknown ? { ...next, notice: crmMessages.moreCalls(unknown), noticeCode: MORE } : next
}
