import { LineOutput } from '../../platform/lib/line-output.ts'

const output = new LineOutput(1)

/** Prints a line to standard output, for the operator at the terminal. */
export function printTerminalLine(line: string): void {
  output.write(`${line}\n`)
}

/**
 * Runs `work`, then prints `label` with the duration in seconds.
 * @returns the result of `work`
 */
export async function runAndPrintDuration<T>(label: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  printTerminalLine(`${label} (${formatSecondsSince(start)})`)
  return result
}

/**
 * Formats the time since `start` as "0.6 s".
 * @param start milliseconds of performance.now()
 */
export function formatSecondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
