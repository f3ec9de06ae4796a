import { LineOutput } from '../../platform/lib/output.ts'

const output = new LineOutput(1)

export function say(line: string): void {
  output.write(`${line}\n`)
}

export async function timed<T>(done: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  say(`${done} (${seconds(start)})`)
  return result
}

/** The time since `start`, as "0.6 s". */
export function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
