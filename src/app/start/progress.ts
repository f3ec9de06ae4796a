import { LineOutput } from '../../platform/lib/line-output.ts'

const output = new LineOutput(1)

/** Prints a line for the person at the terminal. */
export function printLine(line: string): void {
  output.write(`${line}\n`)
}

/** Runs work and prints its label with the seconds that it took. */
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
