/**
 * Uploads a file of 512 MB: how far the API's memory grows, and how fast it is against copying the same file with
 * fsync on the same disk. Rounds alternate.
 */
import { randomBytes } from 'node:crypto'
import { openSync, closeSync, fsyncSync, writeSync } from 'node:fs'
import { copyFile, open, rm } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { median, memoryOf, startStack, verdict, type Stack } from './support.ts'

const MB = 1024 * 1024
const SIZE_MB = 512
/** Until the API's code is compiled for good. */
const WARM_UP = 3
const ROUNDS = 9
/** They are used again and again, as curl does: fresh ones would cost more than the sending. */
const buffers = Array.from({ length: 4 }, () => Buffer.allocUnsafeSlow(256 * 1024))
/** As curl writes them. */
const BOUNDARY = `------------------------${randomBytes(11).toString('hex')}`

const stack = await startStack({ api: true }, { API_RUN_MODE: 'api' })
const file = join(stack.folder, 'call.bin')
makeFile(file)
const pid = stack.processes.api!.pid!
for (let n = 0; n < WARM_UP; n++) await upload(stack, file)
await removeAll(stack)
const base = memoryOf(pid).rss // the memory of a process that has served something is the base
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
verdict('speed of a 512 MB upload against copying the file with fsync', median(ratios), { atLeast: 0.5 })
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
  await sendFile(path, request)
  request.end(tail)
  await answered
}

/** Sends a file of SIZE_MB. */
async function sendFile(path: string, request: http.ClientRequest): Promise<void> {
  const file = await open(path)
  const sent: Promise<void>[] = []
  for (let n = 0, position = 0; position < SIZE_MB * MB; n++) {
    const buffer = buffers[n % buffers.length]!
    await sent[n % buffers.length]
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    position += bytesRead
    sent[n % buffers.length] = new Promise((resolve, reject) =>
      request.write(buffer.subarray(0, bytesRead), (error) => (error ? reject(error) : resolve())),
    )
  }
  await Promise.all(sent)
  await file.close()
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
