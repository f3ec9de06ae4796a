/** Measures home pages, reports with their panel pages, and the correlation over the calls, deals and findings of a large company. */
import { Temporal } from 'temporal-polyfill'
import type { Core } from '../src/platform/core.ts'
import type { Sql } from '../src/platform/db/sql.ts'
import { createDataSource, poolOf } from '../src/platform/db/db.ts'
import { SYSTEM_ACTOR, type Actor } from '../src/platform/http/actor.ts'
import { loadCorrelationData } from '../src/reports/correlation/load-data.ts'
import { analyseScoreCorrelationInThread } from '../src/reports/correlation/analyse-in-thread.ts'
import { createPeriod } from '../src/platform/lib/period.ts'
import { loadCallLoad } from '../src/reports/load/service.ts'
import { makeQualityReport } from '../src/reports/quality/quality.ts'
import { makeRefusalsReport } from '../src/reports/refusals/refusals.ts'
import { makeSalesReport } from '../src/reports/sales/sales.ts'
import { loadHomePage } from '../src/reports/home/sections.ts'
import { storeWeeklyReports } from '../src/reports/weekly/store-reports.ts'
import { makeWeeklyReport } from '../src/reports/weekly/report.ts'
import { seedCompany, measureStatementsInPsql, inlineSqlValues } from './database.ts'
import { formatLastDays, measurePageOverhead, computeMedian, openOwnerSession, computePercentile, startStack, measureMs, measureRequestsInTurns, reportFigure, watchMemoryGrowth, BENCH_OWNER_CONFIG } from './support.ts' // prettier-ignore

const ROUNDS = 20
const CORRELATION_BLOCK = 5
const REPLICATE_COUNT = 1000
const CORRELATION_ROUNDS = 5
const LIST_PATHS = ['/v1/recordings', '/v1/recordings?status=DONE', '/v1/recordings?page=200']
/** This time zone has no daylight saving time, so all days have 24 hours. */
const TIMEZONE = 'Europe/Moscow'
/** `p95` limits the 95th percentile in milliseconds. */
const PERIODS = [
  { period: 'year', query: formatLastDays(365), p95: 1000 },
  { period: 'month', query: formatLastDays(30), p95: 300 },
]

type ReportLoader = (core: Core, actor: Actor, query: never) => Promise<unknown>
const REPORT_LOADERS: Record<string, ReportLoader> = {
  sales: makeSalesReport,
  quality: makeQualityReport,
  refusals: makeRefusalsReport,
  overview: (core, actor, query: object) => loadCallLoad(core, actor, { interval: 'day', by: 'arrival', ...query } as never), // prettier-ignore
}

const calls = Number(process.argv[3] ?? 1_000_000)
const stack = await startStack({ API_RUN_MODE: 'api', ...BENCH_OWNER_CONFIG })
const { DATABASE_URL, apiUrl } = stack.config
await stack.startApi()
await seedCompany(DATABASE_URL, { calls, deals: calls / 10 })
const db = await createDataSource(DATABASE_URL, { poolSize: 8 }).initialize()
const statements: string[] = []
const recorder: Sql = {
  query(statement) {
    statements.push(inlineSqlValues(statement))
    return poolOf(db).query(statement)
  },
}
const core = { config: { APP_TIMEZONE: TIMEZONE }, db, pool: recorder, log: console } as unknown as Core
await storeWeeklyReports({ ...core, pool: poolOf(db) })
await measureHomes()
if (process.argv[2] === 'home') {
  await db.destroy()
  await stack.stop()
  process.exit()
}
const session = await openOwnerSession(stack)
for (const { period, query, p95 } of PERIODS)
  for (const [name, report] of Object.entries(REPORT_LOADERS)) {
    const path = name === 'overview' ? '/v1/stats/overview' : `/v1/analytics/${name}`
    await measureReport(`${name} of a ${period}`, `${path}?${new URLSearchParams(query).toString()}`, p95, () => report(core, SYSTEM_ACTOR, query as never)) // prettier-ignore
  }
// The API parses the stored report on each request; a cache would save only 6 ms.
await measureReport(
  'weekly report',
  '/v1/analytics/weekly-report',
  300,
  () => makeWeeklyReport(core, SYSTEM_ACTOR, {}),
  20,
)
await measureCorrelation(calls / 50)
for (const name of ['sales', 'quality', 'refusals'])
  await measurePageOverhead(
    stack,
    session,
    `/analytics/${name}?${new URLSearchParams(formatLastDays(30)).toString()}`,
    ROUNDS,
    1.3,
  )
await db.destroy()
await stack.stop()
process.exit()

/** Measures the home page of a head who sees half of the managers, and of one manager. */
async function measureHomes(): Promise<void> {
  const { rows } = await poolOf(db).query<{ id: string }>({ text: 'SELECT id FROM managers WHERE same_as IS NULL' })
  const ids = rows.map(({ id }) => id)
  const seen = { head: ids.slice(0, ids.length / 2), manager: ids.slice(0, 1) }
  for (const [role, seenManagers] of Object.entries(seen)) {
    const person = { id: ids[0], role, rights: { analytics: true }, departments: [], seenManagers }
    const load = async () => {
      const home = await loadHomePage({ ...core, pool: poolOf(db) }, { kind: 'person', person } as unknown as Actor)
      if (home.failed.length > 0) throw new Error(`sections failed: ${home.failed.join(', ')}`)
    }
    await load()
    const times: number[] = []
    while (times.length < ROUNDS) times.push(await measureMs(load))
    reportFigure(`home of a ${role}, p95`, computePercentile(times, 0.95), { atMost: 300 }, ' ms')
  }
}

/**
 * Measures a report over the API and its statements in psql.
 * @param ownMs milliseconds that the API can add to its statements
 */
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
    for (let n = 0; n < CORRELATION_BLOCK; n++) ours.push(await measureMs(() => session.get(apiUrl + path)))
    theirs.push(...(await measureStatementsInPsql(DATABASE_URL, statements, CORRELATION_BLOCK)))
  }
  reportFigure(`${what}, p95`, computePercentile(ours, 0.95), { atMost: p95 }, ' ms')
  reportFigure(`${what}, median`, computeMedian(ours), { atMost: 1.5 * computeMedian(theirs) + ownMs }, ' ms')
}

/** Measures the correlation of this many deals: the worker thread alone, then lists that are loaded at the same time. */
async function measureCorrelation(count: number): Promise<void> {
  const { to } = formatLastDays(1)
  const { rows } = await poolOf(db).query<{ day: string }>({
    text: `SELECT to_char(min(closed_at), 'YYYY-MM-DD') AS day FROM (
             SELECT closed_at + interval '1 day' AS closed_at FROM crm_deals WHERE closed_at < $1::date + 1
              ORDER BY closed_at DESC LIMIT $2) d`,
    values: [to, count],
  })
  const [first, last] = [rows[0]!.day, to].map((day) => Temporal.PlainDate.from(day)) as [Temporal.PlainDate, Temporal.PlainDate] // prettier-ignore
  const { deals } = await loadCorrelationData(core, { period: createPeriod(first, last, TIMEZONE), managers: null })
  const inThread: number[] = []
  for (let round = 0; round < CORRELATION_ROUNDS; round++) {
    // Trailing spaces change the seed, which is the hash of the text.
    const task = { deals: deals + ' '.repeat(round), replicates: REPLICATE_COUNT }
    inThread.push(await measureMs(() => analyseScoreCorrelationInThread(task, new AbortController().signal)))
  }
  reportFigure('the correlation in its thread, the slowest', Math.max(...inThread), { atMost: 1000 }, ' ms')
  await measureListsBeside(first, last)
}

async function measureListsBeside(first: Temporal.PlainDate, last: Temporal.PlainDate): Promise<void> {
  const requests = Object.fromEntries(LIST_PATHS.map((list) => [list, () => session.get(apiUrl + list)]))
  const timeLists = async () => Object.values(await measureRequestsInTurns(requests, 50, (round) => round < 13)).flat()
  await timeLists()
  const [quiet, busy]: [number[], number[]] = [[], []]
  const stopWatch = watchMemoryGrowth(stack.pids.api)
  for (let round = 0; round < CORRELATION_ROUNDS; round++) {
    quiet.push(...(await timeLists()))
    const isOver = new AbortController()
    const correlate = async () => {
      for (let n = round * 10; !isOver.signal.aborted; n++) {
        const days = { from: first.add({ days: n % 20 }), to: last.subtract({ days: Math.floor(n / 20) }) }
        const query = `from=${days.from.toString()}&to=${days.to.toString()}`
        await session.get(`${apiUrl}/v1/analytics/correlation?${query}`)
      }
    }
    const correlations = correlate()
    busy.push(...(await timeLists()))
    isOver.abort()
    await correlations
  }
  reportFigure('lists meanwhile against their quiet medians', computeMedian(busy) / computeMedian(quiet), {
    atMost: 1.5,
  })
  reportFigure('growth of the API’s memory meanwhile', stopWatch(), { atMost: 64 }, ' MB')
}
