/**
 * Uploads a file of 512 MB: how far the API's memory grows, and how fast it is against copying the same file with
 * fsync on the same disk. Rounds alternate.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream, openSync, closeSync, fsyncSync, writeSync } from 'node:fs'
import { copyFile, open, rm } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { median, memoryOf, startStack, verdict, type Stack } from './support.ts'

const MB = 1024 * 1024
const SIZE_MB = 512
const ROUNDS = 5
/** As curl writes them. */
const BOUNDARY = `------------------------${randomBytes(11).toString('hex')}`

const stack = await startStack({ api: true }, { API_RUN_MODE: 'api' })
const file = join(stack.folder, 'call.bin')
makeFile(file)
const pid = stack.processes.api!.pid!
await upload(stack, file) // warms up: the memory of a process that has served something is the base
await removeAll(stack)
const base = memoryOf(pid).rss
const growth: number[] = []
const ratios: number[] = []
for (let round = 1; round <= ROUNDS; round++) {
  const copy = join(stack.folder, 'copy.bin')
  const copySeconds = await timed(() => copyDurably(file, copy))
  await rm(copy)
  const watch = watchMemory(pid)
  const uploadSeconds = await timed(() => upload(stack, file))
  growth.push(watch.stop() - base)
  await removeAll(stack)
  ratios.push(copySeconds / uploadSeconds)
  const speed = (seconds: number) => `${(SIZE_MB / seconds).toFixed(0)} MB/s`
  console.log(
    `round ${round}: upload ${speed(uploadSeconds)}, copy with fsync ${speed(copySeconds)}, memory +${growth.at(-1)!.toFixed(0)} MB`,
  )
}
verdict('speed of a 512 MB upload against copying the file with fsync', median(ratios), { atLeast: 0.7 })
verdict('growth of the API’s memory', Math.max(...growth), { atMost: 64 }, ' MB')
await stack.stop()
process.exit()

function makeFile(path: string): void {
  const handle = openSync(path, 'w')
  const block = randomBytes(MB)
  for (let i = 0; i < SIZE_MB; i++) writeSync(handle, block)
  fsyncSync(handle)
  closeSync(handle)
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const handle = await open(to)
  await handle.sync()
  await handle.close()
}

/** Streams the file as a browser or curl would, and waits for the 201. */
async function upload({ config, key }: Stack, path: string): Promise<void> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="call.bin"\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  const request = http.request(`${config.apiUrl}/v1/recordings`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': SIZE_MB * MB + head.length + tail.length,
    },
  })
  const answered = new Promise<void>((resolve, reject) => {
    request.on('response', (response) => {
      text(response).then((body) => {
        if (response.statusCode === 201) resolve()
        else reject(new Error(`${response.statusCode}: ${body}`))
      }, reject)
    })
    request.on('error', reject)
  })
  request.write(head)
  await pipeline(createReadStream(path, { highWaterMark: MB }), request, { end: false })
  request.end(tail)
  await answered
}

/** Frees the disk again. */
async function removeAll({ config, key }: Stack): Promise<void> {
  const headers = { 'X-API-Key': key }
  const list = await fetch(`${config.apiUrl}/v1/recordings`, { headers })
  for (const { id } of ((await list.json()) as { items: { id: string }[] }).items)
    await fetch(`${config.apiUrl}/v1/recordings/${id}`, { method: 'DELETE', headers })
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

function watchMemory(pid: number): { stop(): number } {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(pid).rss)), 20)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(peak, memoryOf(pid).rss)
    },
  }
}
