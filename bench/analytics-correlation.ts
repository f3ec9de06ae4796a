import { setTimeout as pause } from 'node:timers/promises'
import { analyseAside } from '../src/reports/correlation/run.ts'
import { Temporal } from 'temporal-polyfill'
import { lastDays } from './analytics-cases.ts'
import type { Reports } from './analytics-spy.ts'
import { took } from './panel-calls.ts'
import { summarize } from './scale-measure.ts'
import { watchMemory } from './scale-table.ts'
import { median, memoryOf, verdict } from './support.ts'

const REPLICATES = 1000
const ROUNDS = 5
/** Between two looks at a list. */
const LIST_PAUSE_MS = 50
const LISTS_A_ROUND = 40
const LISTS = ['/v1/recordings', '/v1/recordings?status=DONE', '/v1/recordings?page=200']

interface Api {
  url: string
  ask: (url: string) => Promise<string>
  pid: number
}

/** The correlation of so many deals: its thread alone, then the API with the lists beside it. */
export async function measureCorrelation(api: Api, reports: Reports, count: number): Promise<void> {
  const { to } = lastDays(1)
  const from = await reports.firstDayOf(count, to)
  const deals = await reports.deals(from, to)
  const size = `${deals.split('\n').length - 1} deals since ${from} (${(deals.length / 1e6).toFixed(0)} MB)`
  const inThread: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The same data with another hash: what is known is not worked out again.
    const task = { deals: deals + ' '.repeat(round), replicates: REPLICATES }
    inThread.push(await took(() => analyseAside(task, new AbortController().signal)))
  }
  const { median: middle, p95 } = summarize(inThread)
  console.log(`${size}, ${REPLICATES} replicates: median ${middle.toFixed(0)} ms`)
  verdict('the correlation in its thread, the slowest', p95, { atMost: 1000 }, ' ms')
  await measureBeside(api, from, to)
}

/** Rounds without and with correlations under way, in turn. */
async function measureBeside(api: Api, from: string, to: string): Promise<void> {
  for (const list of LISTS) await api.ask(api.url + list)
  const times = { quiet: [] as number[], busy: [] as number[] }
  const base = memoryOf(api.pid).rss
  const peak = watchMemory(api.pid)
  const whole: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    times.quiet.push(...(await lookAtLists(api)))
    const over = new AbortController()
    const busy = correlateUntil(over.signal, round * 10)
    times.busy.push(...(await lookAtLists(api)))
    over.abort()
    await busy
  }
  async function correlateUntil(over: AbortSignal, first: number): Promise<void> {
    // Each time the days are others, so that nothing is known yet.
    for (let n = first; !over.aborted; n++) whole.push(await took(() => correlate(api, from, to, n)))
  }
  const [quiet, busy] = [median(times.quiet), median(times.busy)]
  console.log(`correlations over the API: median ${median(whole).toFixed(0)} ms, ${whole.length} of them`)
  console.log(`lists: median ${quiet.toFixed(1)} ms quiet, ${busy.toFixed(1)} ms meanwhile`)
  verdict('the lists meanwhile against their quiet medians', busy / quiet, { atMost: 1.5 })
  verdict('the memory of the API meanwhile', peak() - base, { atMost: 64 }, ' MB more')
}

function correlate({ url, ask }: Api, from: string, to: string, later: number): Promise<string> {
  const first = Temporal.PlainDate.from(from).add({ days: later % 20 })
  const last = Temporal.PlainDate.from(to).subtract({ days: Math.floor(later / 20) })
  return ask(`${url}/v1/analytics/correlation?from=${first.toString()}&to=${last.toString()}`)
}

async function lookAtLists({ url, ask }: Api): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < LISTS_A_ROUND; n++) {
    times.push(await took(() => ask(url + LISTS[n % LISTS.length]!)))
    await pause(LIST_PAUSE_MS)
  }
  return times
}
