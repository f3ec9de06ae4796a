/**
 * 300 uploads at once, each slow: how far the API's memory grows while they arrive, and whether all of them are taken.
 */
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { memoryOf, startStack, verdict, type Stack } from './support.ts'

const UPLOADS = 300
/** Each sends so many pieces of this size, one in every interval: about 100 KB a second. */
const PIECES = 40
const PIECE = randomBytes(32 * 1024)
const INTERVAL_MS = 300
/** Until the API's code is compiled, and its memory is that of a process that has served something. */
const WARM_UP = 30

const BOUNDARY = 'slow'
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="call.bin"\r\n\r\n`
const agent = new http.Agent({ maxSockets: Infinity })

const stack = await startStack({ api: true }, { API_RUN_MODE: 'api' })
const pid = stack.processes.api!.pid!
for (let n = 0; n < WARM_UP; n++) await upload(stack, 0)
const base = memoryOf(pid).rss
let peak = base
const watch = setInterval(() => (peak = Math.max(peak, memoryOf(pid).rss)), 50)
const statuses = await Promise.all(Array.from({ length: UPLOADS }, () => upload(stack, INTERVAL_MS)))
clearInterval(watch)
console.log(`base ${base.toFixed(0)} MB, at most ${peak.toFixed(0)} MB`)
verdict(`taken of ${UPLOADS} slow uploads at once`, statuses.filter((status) => status === 201).length, {
  atLeast: UPLOADS,
})
verdict('growth of the API’s memory meanwhile', peak - base, { atMost: 128 }, ' MB')
await stack.stop()
process.exit()

/** Sends a file piece by piece; answers the status. */
async function upload({ config, key }: Stack, intervalMs: number): Promise<number> {
  const request = http.request(`${config.apiUrl}/v1/recordings`, {
    method: 'POST',
    agent,
    headers: { 'X-API-Key': key, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  const answered = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject)
  })
  request.write(HEAD)
  for (let n = 0; n < PIECES; n++) {
    await new Promise((resolve) => request.write(PIECE, resolve))
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
  request.end(`\r\n--${BOUNDARY}--\r\n`)
  return answered
}
