/** From the start of the process `api` to ready, on a migrated database: at most 2 seconds. The yardstick is bare Node. */
import { execFileSync } from 'node:child_process'
import { median, startStack, verdict } from './support.ts'

const ROUNDS = 7

const stack = await startStack({})
const seconds: number[] = []
const bare: number[] = []
for (let round = 1; round <= ROUNDS; round++) {
  let startedAt = performance.now()
  const api = await stack.startApi()
  seconds.push((performance.now() - startedAt) / 1000)
  await api.stop(['SIGTERM', 60_000])
  startedAt = performance.now()
  execFileSync(process.execPath, ['-e', ''])
  bare.push((performance.now() - startedAt) / 1000)
}
console.log(
  `node with an empty script: ${median(bare).toFixed(2)} s; api: ${(median(seconds) / median(bare)).toFixed(1)} times that`,
)
verdict('from process start to ready', median(seconds), { atMost: 2 }, ' s')
await stack.stop()
process.exit()
