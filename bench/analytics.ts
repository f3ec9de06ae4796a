/**
 * The reports over a company of 1,000,000 calls, 100,000 deals and 9,000,000 findings: each for a year and for a month,
 * against its own statements run by psql one after another; the correlation of 20,000 deals in its thread, the lists and
 * the memory of the API meanwhile; the pages of the panel against their calls of the API.
 * Another number of calls: npm run bench:analytics -- 100000
 */
import { loadavg } from 'node:os'
import { reportCases, type ReportCase } from './analytics-cases.ts'
import { measureCorrelation } from './analytics-correlation.ts'
import { openReports } from './analytics-spy.ts'
import { openLooker, took, WITH_OWNER } from './panel-calls.ts'
import { psql, summarize } from './scale-measure.ts'
import { hasPsql } from './scale-table.ts'
import { seedCompany } from './seed-company.ts'
import { median, startStack, verdict } from './support.ts'

const ROUNDS = 20
const AT_ONCE = 5

const calls = Number(process.argv[2] ?? 1_000_000)
const stack = await startStack({}, { API_RUN_MODE: 'api', LOG_LEVEL: 'warn', ...WITH_OWNER })
const api = (stack.processes.api = await stack.startApi())
const seconds = (await took(() => seedCompany(stack.config.DATABASE_URL, { calls, deals: calls / 10 }))) / 1000
console.log(
  `\n${calls.toLocaleString('en')} calls, ${(calls / 10).toLocaleString('en')} deals, made in ${seconds.toFixed(0)} s`,
)
const reports = await openReports(stack.config.DATABASE_URL)
console.log(`The report of a week made: ${(await took(reports.makeWeek)).toFixed(0)} ms`)
const looker = await openLooker(stack)
console.log(`load before: ${loadavg().map((one) => one.toFixed(1)).join(', ')}\n`) // prettier-ignore
console.log(
  '| report | period | median ms | p95 ms | psql median ms | bound | |\n| --- | --- | ---: | ---: | ---: | --- | --- |',
)
for (const one of reportCases()) await measureReport(one)
console.log()
await measureCorrelation({ url: stack.config.apiUrl, ask: looker.ask, pid: api.pid! }, reports, calls / 50)
await measurePages()
await looker.close()
await reports.close()
await stack.stop()
process.exit()

/** Requests and psql in turn, so that whatever else the machine does meets both. */
async function measureReport(one: ReportCase): Promise<void> {
  const url = stack.config.apiUrl + one.path
  const statements = await reports.statements(one)
  const [ours, theirs]: [number[], number[]] = [[], []]
  await looker.ask(url)
  while (ours.length < ROUNDS) {
    for (let n = 0; n < AT_ONCE; n++) ours.push(await took(() => looker.ask(url)))
    if (hasPsql) theirs.push(...(await timesOf(statements)))
  }
  const [api, bare] = [summarize(ours), median(theirs)]
  const bounds: [text: string, holds: boolean][] = [[`p95 ≤ ${one.p95}`, api.p95 <= one.p95]]
  if (hasPsql) bounds.push(['median ≤ 1.5 × psql + 10', api.median <= 1.5 * bare + 10])
  const missed = bounds.filter(([, holds]) => !holds).map(([text]) => text)
  if (missed.length > 0) process.exitCode = 1
  const cells = [one.name, one.period, api.median.toFixed(0), api.p95.toFixed(0), bare?.toFixed(0) ?? '']
  const rule = bounds.map(([text]) => text).join('; ')
  console.log(`| ${[...cells, rule, missed.length > 0 ? `MISSES ${missed.join(', ')}` : 'holds'].join(' | ')} |`)
}

/** The statements of a report one after another in one psql, some times over: milliseconds of each time. */
async function timesOf(statements: string[]): Promise<number[]> {
  const rounds = Array.from({ length: AT_ONCE }, () => statements.map((one) => `${one};\n`).join(''))
  const output = await psql(stack.config.DATABASE_URL, `\\o /dev/null\n\\timing on\n${rounds.join('')}`)
  const each = [...output.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
  return rounds.map(() => each.splice(0, statements.length).reduce((sum, ms) => sum + ms, 0))
}

async function measurePages(): Promise<void> {
  const panel = await stack.startPanel()
  for (const { name, period, page } of reportCases().filter((one) => one.page && one.period !== 'year')) {
    const waves = await looker.callsOf(page!)
    const times: { page: number; calls: number }[] = []
    for (let round = -2; round < ROUNDS / 2; round++) {
      const calls = await took(() => looker.replay(waves))
      const whole = await took(() => looker.ask(panel.url + page!))
      if (round >= 0) times.push({ page: whole, calls })
    }
    const [whole, alone] = [median(times.map((one) => one.page)), median(times.map((one) => one.calls))]
    console.log(`${page}: ${whole.toFixed(1)} ms; its calls alone ${alone.toFixed(1)} ms`)
    verdict(`the page ${name} (${period}) against its calls of the API`, whole / alone, { atMost: 1.3 })
  }
  await panel.daemon.stop(['SIGTERM', 10_000])
}
