/**
 * Loaded into the server under test by NODE_OPTIONS=--import. Writes how long the event loop is blocked at a time. Measures
 * processor time of the main thread, so other load on the machine does not matter.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const INTERVAL_MS = 5
const file = process.env.SVC_LOOP_PROBE

const processorMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6

if (isMainThread && file) {
  let last = processorMs()
  setInterval(() => {
    const now = processorMs()
    if (now - last > INTERVAL_MS) appendFileSync(file, `${Date.now()} ${now - last}\n`)
    last = now
  }, INTERVAL_MS).unref()
}
