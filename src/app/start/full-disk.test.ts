import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { findFreePort } from '../../platform/lib/free-port.ts'
import { SmallDisk } from '../../test/small-disk.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { waitUntil } from '../../test/wait.ts'

const PARTS = ['asr', 'api', 'dashboard']
const LIMIT_MS = 120_000

describe('npm start on a full disk', function () {
  let parent: string
  let folder: string
  let disks: SmallDisk[]
  let started: ServiceProcess
  let api: string

  before(async function () {
    parent = mkdtempSync(join(tmpdir(), 'svc-full-'))
    folder = join(parent, '.svc')
    const everything = SmallDisk.mount(folder, 400)
    if (!everything) {
      console.log('mounting tmpfs needs root: the tests of full disks are skipped')
      this.skip()
    }
    const others = Object.entries({ logs: 1, audio: 4, tmp: 4 })
    disks = [everything, ...others.map(([name, size]) => SmallDisk.mount(join(folder, name), size)!)]
    for (const disk of disks) disk.fill()
    const ports = { panelPort: await findFreePort(), apiPort: await findFreePort(), asrPort: await findFreePort() }
    api = `http://127.0.0.1:${ports.apiPort}`
    const folders = { audioDir: join(folder, 'audio'), modelsDir: join(folder, 'models') }
    const config = { ...ports, ...folders, metricsPort: 0, ASR_MODEL: 'moonshine-tiny-en' } as const
    started = new ServiceProcess('start', config, { TMPDIR: join(folder, 'tmp') })
  })

  after(async () => {
    await started?.stop('SIGTERM')
    for (const disk of disks?.toReversed() ?? []) disk.unmount()
    rmSync(parent, { recursive: true, force: true })
  })

  const says = (text: string) =>
    waitUntil(`it says ${text}`, () => {
      if (started.exit) throw new Error(`it ended:\n${started.text}`)
      return started.text.includes(text)
    }, LIMIT_MS) // prettier-ignore
  const pids = () => PARTS.map((name) => readFileSync(join(folder, 'run', name), 'utf8'))

  const filesIn = (path: string) =>
    readdirSync(path, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.parentPath.includes('svc-asr-'),
    ).length

  async function upload(): Promise<Response> {
    const body = new FormData()
    body.set('file', new Blob([readFileSync('samples/call.wav')]), 'call.wav')
    const headers = { 'X-API-Key': /svc_\S+/.exec(started.text)![0] }
    return fetch(`${api}/v1/recordings`, { method: 'POST', headers, body })
  }

  const uploadUntil = (status: number) =>
    waitUntil(`an upload is answered ${status}`, async () => {
      if (started.exit) throw new Error(`it ended:\n${started.text}`)
      const answer = await upload().catch(() => undefined)
      return answer?.status === status ? answer : undefined
    }, LIMIT_MS) // prettier-ignore

  async function expectTranscribed(): Promise<void> {
    const { id } = (await (await uploadUntil(201)).json()) as { id: string }
    await waitForDone(id)
  }

  function waitForDone(id: string): Promise<{ attempts: number }> {
    const headers = { 'X-API-Key': /svc_\S+/.exec(started.text)![0] }
    const read = async () => {
      const answer = await fetch(`${api}/v1/recordings/${id}`, { headers }).catch(() => undefined)
      const call = answer?.status === 200 && ((await answer.json()) as { status: string; attempts: number })
      return call && call.status === 'DONE' && call
    }
    return waitUntil('the call is transcribed', read, LIMIT_MS)
  }

  it('npm start waits until a full disk has room', async () => {
    await says('is full: continuing as soon as there is room')
    for (const disk of disks) disk.free()
    await says('Ctrl-C stops everything')
    await expectTranscribed()
  })

  it('the service works without logs while their disk is full, then writes them again', async () => {
    const before = pids()
    disks[1]!.fill()
    await expectTranscribed()
    disks[1]!.free()
    const size = () => readFileSync(join(folder, 'logs/api.log')).length
    const full = size()
    await waitUntil('the log grows', async () => (await upload(), size() > full))
    expect(pids()).to.deep.equal(before)
  })

  it('uploads get 507 while the audio disk is full', async () => {
    const before = pids()
    disks[2]!.fill()
    await uploadUntil(507)
    disks[2]!.free()
    await expectTranscribed()
    expect(pids()).to.deep.equal(before)
  })

  it('a full disk of the recognizer counts no attempt of a call', async () => {
    // Wait until the recognizer has removed its files, because a later removal would free space for the next file.
    await waitUntil('the recognizer has removed its files', () => filesIn(join(folder, 'tmp')) === 0)
    disks[3]!.fill()
    const { id } = (await (await uploadUntil(201)).json()) as { id: string }
    const log = () => readFileSync(join(folder, 'logs/asr.log'), 'utf8')
    await waitUntil('the recognizer has refused it', () => log().includes('ENOSPC'))
    disks[3]!.free()
    const { attempts } = await waitForDone(id)
    expect(attempts).to.equal(1)
  })

  it('uploads get 507 while all disks are full, and work again afterwards', async () => {
    for (const disk of disks) disk.fill()
    await uploadUntil(507)
    for (let n = 0; n < 200; n++) {
      await upload().catch(() => undefined)
      for (const disk of disks) disk.fill()
    }
    expect(started.exit).to.equal(undefined)
    for (const disk of disks) disk.free()
    await expectTranscribed()
  })

  it('npm start restarts Postgres after a full disk ended it', async () => {
    for (const disk of disks) disk.fill()
    await waitUntil('Postgres has ended', async () => {
      await writeDatabaseLog(folder).catch(() => undefined)
      for (const disk of disks) disk.fill()
      return started.text.includes('database ended with exit code 1, because the disk is full')
    }, LIMIT_MS) // prettier-ignore
    for (const disk of disks) disk.free()
    await says('database started again')
    await expectTranscribed()
  })

  it('npm start shuts down cleanly while all disks are full', async () => {
    for (const disk of disks) disk.fill()
    expect((await started.stop('SIGTERM')).code).to.equal(0)
    const stopped = [...started.text.matchAll(/^(\w+) stopped/gm)].map(([, name]) => name)
    expect(stopped).to.deep.equal(['panel', 'API', 'recognizer', 'Redis', 'database'])
  })
})

/** Writes more WAL than the disk has space for, which ends every process of the server. */
async function writeDatabaseLog(folder: string): Promise<void> {
  const port = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[3]
  const password = readFileSync(join(folder, 'postgres/password'), 'utf8')
  const client = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
  client.on('error', () => undefined)
  try {
    await client.connect()
    for (let n = 0; n < 100; n++) {
      await client.query(`SELECT pg_logical_emit_message(false, 'test', repeat('x', 8000000), true)`)
    }
  } finally {
    await client.end()
  }
}
