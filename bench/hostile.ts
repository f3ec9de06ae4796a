/**
 * The worst input of each kind at its size limit, against the code and the servers that read it: how long it holds an event
 * loop, and how much memory it adds.
 *
 *   npm run bench -- hostile [servers]
 *
 * With `servers` only what is sent to running servers.
 *
 * The delay is processor time of the main thread between two turns, the shortest of three rounds; so it does not matter
 * what else the machine does.
 */
import { measureInputs, measurePatterns } from './hostile-inputs.ts'
import { measureServers } from './hostile-servers.ts'

/** What an input has done to a process. */
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
