import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { casesFor, type Case } from './scale-cases.ts'
import {
  CLIENTS,
  measureApi,
  measureCopy,
  measureExport,
  measurePsql,
  summarize,
  type Target,
  type Times,
} from './scale-measure.ts'
import { openSpy } from './scale-spy.ts'
import { memoryOf, median } from './support.ts'

const EXPORT_ROWS = 50_000
const ROUNDS = 3

export const hasPsql = spawnSync('psql', ['--version']).status === 0

/** A database of so many calls, and the API before it. */
interface Measured {
  rows: number
  /** How the names of the lists begin that are measured; without it all are. */
  only?: string[]
  apiPid: number
}

/** Measures the lists of a running API on a seeded database; prints a table. */
export async function measureLists(target: Target, { rows, only = [''] }: Measured): Promise<void> {
  const spy = await openSpy(target)
  const medians = new Map<string, number>()
  const load = loadavg()
  console.log(
    `${CLIENTS} clients at once, ${cpus().length} cores; load before: ${load.map((one) => one.toFixed(1)).join(', ')}\n`,
  )
  console.log('| what | median ms | p95 ms | psql median ms | bound | |\n| --- | ---: | ---: | ---: | --- | --- |')
  const cases = casesFor(rows)
  for (let n = 0; n < 4; n++) await measureApi(target, cases[0]!.paths, 50) // the API compiles what it runs often
  for (const one of cases.filter(({ name }) => only.some((begin) => name.startsWith(begin)))) {
    const statements = one.bare && hasPsql ? await spy.statements(one.paths) : undefined
    const [ours, theirs] = await measureInTurn(target, one.paths, statements)
    medians.set(one.name, ours.median)
    printCase(one, ours, theirs, medians)
  }
  await spy.close()
}

/** The API and psql in turn, so that whatever else the machine does meets both. */
async function measureInTurn(
  target: Target,
  paths: string[],
  statements?: string[][],
): Promise<[ours: Times, theirs?: Times]> {
  await measureApi(target, paths, 2)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(...(await measureApi(target, paths)))
    if (statements) theirs.push(...(await measurePsql(target, statements)))
  }
  return [summarize(ours), statements && summarize(theirs)]
}

function printCase(one: Case, ours: Times, theirs: Times | undefined, medians: Map<string, number>): void {
  const bounds: [text: string, holds: boolean][] = [[`p95 ≤ ${one.p95}`, ours.p95 <= one.p95]]
  if (theirs) bounds.push(['median ≤ 1.5 × psql + 5', ours.median <= 1.5 * theirs.median + 5])
  if (one.within) {
    const [times, of] = one.within
    bounds.push([`median ≤ ${times} × ${of}`, ours.median <= times * medians.get(of)!])
  }
  const cells = [one.name, ours.median.toFixed(1), ours.p95.toFixed(1), theirs?.median.toFixed(1) ?? '']
  printRow(cells, bounds)
}

function printRow(cells: string[], bounds: [text: string, holds: boolean][]): void {
  const missed = bounds.filter(([, holds]) => !holds)
  if (missed.length > 0) process.exitCode = 1
  const verdict = missed.length === 0 ? 'holds' : `MISSES ${missed.map(([text]) => text).join(', ')}`
  console.log(`| ${[...cells, bounds.map(([text]) => text).join('; '), verdict].join(' | ')} |`)
}

/** Exports and psql's copy of the same rows in turn; memory of the API around them. */
export async function measureExports(target: Target, { apiPid }: Measured): Promise<void> {
  const spy = await openSpy(target)
  const statement = await spy.exportStatement(EXPORT_ROWS)
  await spy.close()
  await measureExport(target, 'jsonl', EXPORT_ROWS) // warms up
  console.log(
    '\n| export | MB/s | of psql’s \\copy | first byte s | memory MB | bound | |\n| --- | ---: | ---: | ---: | ---: | --- | --- |',
  )
  for (const format of ['jsonl', 'csv', 'zip']) {
    const runs: { speed: number; ratio: number; firstByte: number; growth: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const copy = hasPsql ? await measureCopy(target, statement) : { bytes: 1, seconds: 1 }
      const base = memoryOf(apiPid).rss
      const watch = watchMemory(apiPid)
      const { bytes, firstByte, seconds } = await measureExport(target, format, EXPORT_ROWS)
      const speed = bytes / seconds
      runs.push({ speed: speed / 1e6, ratio: speed / (copy.bytes / copy.seconds), firstByte, growth: watch() - base })
    }
    const middle = (of: (run: (typeof runs)[number]) => number) => median(runs.map(of))
    const growth = Math.max(...runs.map((run) => run.growth))
    const bounds: [string, boolean][] = [
      ['first byte ≤ 1 s', Math.max(...runs.map((run) => run.firstByte)) <= 1],
      ['memory ≤ + 64 MB', growth <= 64],
    ]
    const share = format === 'zip' ? 0.15 : 0.5
    bounds.unshift([`at least ${share} × \\copy`, middle((run) => run.ratio) >= share])
    printRow(
      [format, middle((run) => run.speed).toFixed(1), middle((run) => run.ratio).toFixed(2), middle((run) => run.firstByte).toFixed(2), `+${growth.toFixed(0)}`],
      bounds,
    ) // prettier-ignore
  }
}

/** Answers the largest memory of a process since, in MB. */
export function watchMemory(pid: number): () => number {
  let peak = 0
  const look = () => (peak = Math.max(peak, memoryOf(pid).rss))
  const timer = setInterval(look, 20)
  return () => {
    clearInterval(timer)
    return look()
  }
}
