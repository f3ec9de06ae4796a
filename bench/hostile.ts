/**
 * Sends the worst input of each kind, at its size limit, to the code and the servers that parse it. Measures how long it blocks
 * the event loop and how much memory it adds.
 *
 *   npm run bench -- hostile [servers]
 *
 * With `servers`, only the inputs for running servers.
 *
 * The delay is processor time of the main thread between two turns, the shortest of three rounds, so other load on the
 * machine does not matter.
 */
import { measureInputs, measurePatterns } from './hostile-inputs.ts'
import { measureServers } from './hostile-servers.ts'

/** The effect of an input on a process. */
export interface Measured {
  what: string
  delayMs: number
  growthMb: number
}

const MOST_MS = 50
const MOST_MB = 64

console.log('delay ms  memory MB')
if (process.argv[2] !== 'servers') {
  show(measurePatterns())
  for await (const measured of measureInputs()) show(measured)
}
for await (const measured of measureServers()) show(measured)
process.exit()

function show({ what, delayMs, growthMb }: Measured): void {
  const holds = delayMs <= MOST_MS && growthMb <= MOST_MB
  if (!holds) process.exitCode = 1
  const figures = [delayMs.toFixed(1).padStart(8), Math.max(0, growthMb).toFixed(1).padStart(10)]
  console.log(`${figures.join(' ')}  ${holds ? 'holds ' : 'MISSES'}  ${what}`)
}
