/** Reports, their pages, and the correlation over the calls, deals and findings of a large company. */
import { Temporal } from 'temporal-polyfill'
import type { Core } from '../src/platform/core.ts'
import type { Sql } from '../src/platform/db/sql.ts'
import { createDataSource, pool } from '../src/platform/db/db.ts'
import { SYSTEM, type Actor } from '../src/platform/http/actor.ts'
import { readDeals } from '../src/reports/correlation/data.ts'
import { analyseAside } from '../src/reports/correlation/run.ts'
import { periodOf } from '../src/platform/lib/period.ts'
import { describeLoad } from '../src/reports/load/service.ts'
import { reportQuality } from '../src/reports/quality/quality.ts'
import { reportRefusals } from '../src/reports/refusals/refusals.ts'
import { reportSales } from '../src/reports/sales/sales.ts'
import { makeWeeklyReports } from '../src/reports/weekly/make.ts'
import { reportWeek } from '../src/reports/weekly/report.ts'
import { seedCompany, timeInPsql, withValues } from './database.ts'
import { lastDays, measurePage, median, openSession, percentile, startStack, timed, timeInTurns, verdict, watchGrowth, WITH_OWNER } from './support.ts' // prettier-ignore

const ROUNDS = 20
const BLOCK = 5
const REPLICATES = 1000
const CORRELATION_ROUNDS = 5
const LISTS = ['/v1/recordings', '/v1/recordings?status=DONE', '/v1/recordings?page=200']
/** A time zone without daylight saving. */
const TIMEZONE = 'Europe/Moscow'
/** Bounds of the 95th percentile in ms. */
const PERIODS = [
  { period: 'year', query: lastDays(365), p95: 1000 },
  { period: 'month', query: lastDays(30), p95: 300 },
]

type Report = (core: Core, actor: Actor, query: never) => Promise<unknown>
const REPORTS: Record<string, Report> = {
  sales: reportSales,
  quality: reportQuality,
  refusals: reportRefusals,
  overview: (core, actor, query: object) => describeLoad(core, actor, { interval: 'day', by: 'arrival', ...query } as never), // prettier-ignore
}

const calls = Number(process.argv[3] ?? 1_000_000)
const stack = await startStack({ API_RUN_MODE: 'api', ...WITH_OWNER })
const { DATABASE_URL, apiUrl } = stack.config
await stack.startApi()
await seedCompany(DATABASE_URL, { calls, deals: calls / 10 })
const db = await createDataSource(DATABASE_URL, { poolSize: 8 }).initialize()
const statements: string[] = []
const recorder: Sql = {
  query(statement) {
    statements.push(withValues(statement))
    return pool(db).query(statement)
  },
}
const core = { config: { APP_TIMEZONE: TIMEZONE }, db, pool: recorder } as unknown as Core
await makeWeeklyReports({ ...core, pool: pool(db) })
const session = await openSession(stack)
for (const { period, query, p95 } of PERIODS)
  for (const [name, report] of Object.entries(REPORTS)) {
    const path = name === 'overview' ? '/v1/stats/overview' : `/v1/analytics/${name}`
    await measureReport(`${name} of a ${period}`, `${path}?${new URLSearchParams(query).toString()}`, p95, () => report(core, SYSTEM, query as never)) // prettier-ignore
  }
// The API parses the stored report on each request: a cache of it saved 6 ms.
await measureReport('weekly report', '/v1/analytics/weekly-report', 300, () => reportWeek(core, SYSTEM, {}), 20)
await measureCorrelation(calls / 50)
for (const name of ['sales', 'quality', 'refusals'])
  await measurePage(stack, session, `/analytics/${name}?${new URLSearchParams(lastDays(30)).toString()}`, ROUNDS, 1.3)
await db.destroy()
await stack.stop()
process.exit()

/** @param ownMs milliseconds that the API may add to its statements */
async function measureReport(
  what: string,
  path: string,
  p95: number,
  run: () => Promise<unknown>,
  ownMs = 10,
): Promise<void> {
  statements.length = 0
  await run()
  const [ours, theirs]: [number[], number[]] = [[], []]
  await session.get(apiUrl + path)
  while (ours.length < ROUNDS) {
    for (let n = 0; n < BLOCK; n++) ours.push(await timed(() => session.get(apiUrl + path)))
    theirs.push(...(await timeInPsql(DATABASE_URL, statements, BLOCK)))
  }
  verdict(`${what}, p95`, percentile(ours, 0.95), { atMost: p95 }, ' ms')
  verdict(`${what}, median`, median(ours), { atMost: 1.5 * median(theirs) + ownMs }, ' ms')
}

/** The correlation of so many deals: its thread alone, then over the API with the lists beside it. */
async function measureCorrelation(count: number): Promise<void> {
  const { to } = lastDays(1)
  const { rows } = await pool(db).query<{ day: string }>({
    text: `SELECT to_char(min(closed_at), 'YYYY-MM-DD') AS day FROM (
             SELECT closed_at + interval '1 day' AS closed_at FROM crm_deals WHERE closed_at < $1::date + 1
              ORDER BY closed_at DESC LIMIT $2) d`,
    values: [to, count],
  })
  const [first, last] = [rows[0]!.day, to].map((day) => Temporal.PlainDate.from(day)) as [Temporal.PlainDate, Temporal.PlainDate] // prettier-ignore
  const { deals } = await readDeals(core, { period: periodOf(first, last, TIMEZONE), managers: null })
  const inThread: number[] = []
  for (let round = 0; round < CORRELATION_ROUNDS; round++) {
    // Spaces change the hash, so nothing is cached.
    const task = { deals: deals + ' '.repeat(round), replicates: REPLICATES }
    inThread.push(await timed(() => analyseAside(task, new AbortController().signal)))
  }
  verdict('the correlation in its thread, the slowest', Math.max(...inThread), { atMost: 1000 }, ' ms')
  await measureBeside(first, last)
}

async function measureBeside(first: Temporal.PlainDate, last: Temporal.PlainDate): Promise<void> {
  const requests = Object.fromEntries(LISTS.map((list) => [list, () => session.get(apiUrl + list)]))
  const timeLists = async () => Object.values(await timeInTurns(requests, 50, (round) => round < 13)).flat()
  await timeLists()
  const [quiet, busy]: [number[], number[]] = [[], []]
  const stopWatch = watchGrowth(stack.pids.api)
  for (let round = 0; round < CORRELATION_ROUNDS; round++) {
    quiet.push(...(await timeLists()))
    const over = new AbortController()
    const correlate = async () => {
      // Each period is another, so nothing is cached.
      for (let n = round * 10; !over.signal.aborted; n++) {
        const days = { from: first.add({ days: n % 20 }), to: last.subtract({ days: Math.floor(n / 20) }) }
        const query = `from=${days.from.toString()}&to=${days.to.toString()}`
        await session.get(`${apiUrl}/v1/analytics/correlation?${query}`)
      }
    }
    const correlations = correlate()
    busy.push(...(await timeLists()))
    over.abort()
    await correlations
  }
  verdict('lists meanwhile against their quiet medians', median(busy) / median(quiet), { atMost: 1.5 })
  verdict('growth of the API’s memory meanwhile', stopWatch(), { atMost: 64 }, ' MB')
}
