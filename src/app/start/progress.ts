import { LineOutput } from '../../platform/lib/line-output.ts'

const output = new LineOutput(1)

export function printLine(line: string): void {
  output.write(`${line}\n`)
}

export async function runTimed<T>(label: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  printLine(`${label} (${formatSecondsSince(start)})`)
  return result
}

/** The time since `start`, as "0.6 s". */
export function formatSecondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
