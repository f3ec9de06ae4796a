import { fork, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../../platform/config/config.ts'
import { TINY_MODEL_PATH } from '../../test/letter-audio.ts'
import { TestModelHub } from '../../test/model-hub.ts'
import { findFreePort, retryOnTakenPort } from '../../platform/lib/free-port.ts'
import { isProcessRunning, pollUntil } from '../embedded/process.ts'

const READY_LINE = 'Ctrl-C stops everything'
const LIMIT_MS = 120_000

/** A running `start` of the built bundle in its own process group. */
interface StartedBundle {
  process: ChildProcess
  pid: number
  ports: { panelPort: number; apiPort: number; asrPort: number }
  text: () => string
  waitForOutput: (text: string) => Promise<void>
  waitForExit: () => Promise<number | null>
}

describe('npm start', function () {
  let folder: string
  let starts: StartedBundle[]

  before(() => {
    folder = createFolder()
    starts = []
  })

  /** Ends the processes of a failed test, so that they do not affect the next test. */
  const endAll = async () => {
    for (const { process } of starts) process.kill('SIGTERM')
    await Promise.all(starts.map(({ waitForExit: ended }) => ended()))
  }

  after(async () => {
    await endAll()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async (inFolder = folder, overrides: Partial<Config> = {}) => {
    const started = await startBundle(inFolder, overrides)
    starts.push(started)
    return started
  }

  const startReady = (inFolder = folder, overrides: Partial<Config> = {}) =>
    retryOnTakenPort(async () => {
      const ready = await start(inFolder, overrides)
      await ready.waitForOutput(READY_LINE)
      return ready
    })

  describe('first start', () => {
    let first: StartedBundle
    before(async () => void (first = await startReady()))

    it('the first start shows an owner who can log in', async () => {
      const email = findShown(first, 'Owner')
      const password = findShown(first, 'Password')
      expect((await post(first, '/v1/auth/login', { email, password })).status).to.equal(200)
    })

    it('the first start shows a valid API key and a curl command with it', async () => {
      const key = findShown(first, 'API key')
      expect(key).to.match(/^svc_/)
      expect(first.text()).to.include(`curl -H 'X-API-Key: ${key}' -F `)
      const answer = await fetch(`http://127.0.0.1:${first.ports.apiPort}/v1/recordings`, {
        headers: { 'X-API-Key': key },
      })
      expect(answer.status).to.equal(200)
    })

    it('files with secrets are private and contain neither password nor API key', () => {
      for (const file of ['secrets.json', 'state.json', 'postgres/password', 'redis/password']) {
        expect(statSync(join(folder, file)).mode & 0o777, file).to.equal(0o600)
      }
      const kept = ['secrets.json', 'state.json'].map((file) => readFileSync(join(folder, file), 'utf8')).join('')
      expect(kept).not.to.include(findShown(first, 'Password'))
      expect(kept).not.to.include(findShown(first, 'API key'))
    })

    it('a hang-up without a terminal does not stop the service, as under nohup', async () => {
      process.kill(first.pid, 'SIGHUP')
      await first.waitForOutput('going on without it')
      const answer = await fetch(`http://127.0.0.1:${first.ports.apiPort}/healthz`)
      expect([answer.status, first.text().includes('stopping')]).to.deep.equal([200, false])
    })

    it('a second start in the same folder is rejected', async () => {
      const second = await start()
      expect(await second.waitForExit()).to.equal(1)
      expect(second.text()).to.include('already running')
    })

    it('Ctrl-C stops all parts in order', async () => {
      const pids = readPartPids(folder)
      expect(pids).to.have.length(5)
      // Sends the signal to the whole group, like a terminal.
      process.kill(-first.pid, 'SIGINT')
      expect(await first.waitForExit()).to.equal(0)
      const stopped = [...first.text().matchAll(/^(\w+) stopped/gm)].map(([, name]) => name)
      expect(stopped).to.deep.equal(['panel', 'API', 'recognizer', 'Redis', 'database'])
      expect(pids.filter((pid) => isProcessRunning(pid))).to.deep.equal([])
    })
  })

  describe('later starts', () => {
    afterEach(endAll)

    it('a later start reuses the database, shows no secrets, and ends after a crash', async () => {
      const made = () => statSync(join(folder, 'postgres/data/PG_VERSION')).mtimeMs
      const before = made()
      const again = await startReady()
      expect(made(), 'the database is the one of the first start').to.equal(before)
      expect(again.text()).to.include('the password was shown at the first start').and.not.include('Password')
      const pids = readPartPids(folder)
      process.kill(Number(readFileSync(join(folder, 'run/asr'), 'utf8')), 'SIGKILL')
      expect(await again.waitForExit()).to.equal(1)
      expect(again.text()).to.include('recognizer was ended by SIGKILL').and.include('asr.log')
      expect(pids.filter((pid) => isProcessRunning(pid))).to.deep.equal([])
    })

    it('killing npm start leaves no part running', async function () {
      if (process.platform !== 'linux') this.skip()
      const again = await startReady()
      const pids = readPartPids(folder)
      process.kill(again.pid, 'SIGKILL')
      await pollUntil('parts are still running', LIMIT_MS, undefined, () => !pids.some((pid) => isProcessRunning(pid)))
    })
  })

  it('the service runs while the recognizer downloads its model, and shows the progress', async () => {
    const model = readFileSync(TINY_MODEL_PATH)
    const hub = await TestModelHub.start({ 'model.onnx': model })
    let goOn = () => {}
    hub.nextResponders.push((response, file) => {
      response.writeHead(200, { 'Content-Length': file.length })
      response.write(file.subarray(0, file.length / 2))
      goOn = () => response.end(file.subarray(file.length / 2))
    })
    const inFolder = createFolder()
    try {
      const waits = await startReady(inFolder, { ASR_MODEL: 't-one', DECODER: 'greedy', ASR_MODEL_HUB_URL: hub.url })
      expect(waits.text())
        .to.match(/^ready but for the recognizer: fetching model\.onnx/m)
        .and.include('Password')
      const login = await fetch(`http://127.0.0.1:${waits.ports.panelPort}/login`)
      expect(login.status).to.equal(200)
      goOn()
      await waits.waitForOutput('recognizer ready')
      process.kill(waits.pid, 'SIGINT')
      expect(await waits.waitForExit()).to.equal(0)
    } finally {
      await hub.stop()
      rmSync(inFolder, { recursive: true, force: true })
    }
  })

  it('the service runs while the model hub is unreachable, and the recognizer retries', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}` // No server listens on this port.
    const inFolder = createFolder()
    try {
      const waits = await startReady(inFolder, { ASR_MODEL: 't-one', DECODER: 'greedy', ASR_MODEL_HUB_URL: url })
      expect(waits.text()).to.match(/^ready but for the recognizer: .*ECONNREFUSED.* Trying again in \d+ s\.$/m)
      const ready = await fetch(`http://127.0.0.1:${waits.ports.apiPort}/readyz`)
      expect([ready.status, ((await ready.json()) as { status: string }).status]).to.deep.equal([200, 'degraded'])
      process.kill(waits.pid, 'SIGINT')
      expect(await waits.waitForExit()).to.equal(0)
    } finally {
      rmSync(inFolder, { recursive: true, force: true })
    }
  })

  it('npm start prints why the storage is not ready if it belongs to another database', async () => {
    const inFolder = createFolder()
    try {
      mkdirSync(join(inFolder, 'audio/uploads'), { recursive: true })
      writeFileSync(join(inFolder, 'audio/uploads/.svc-database'), '00000000-0000-4000-8000-000000000000\n')
      const degraded = await startReady(inFolder)
      expect(degraded.text())
        .to.match(/^ready but for the storage: The audio storage has the mark of another database/m)
        .and.not.include('everything ready')
      process.kill(degraded.pid, 'SIGINT')
      expect(await degraded.waitForExit()).to.equal(0)
    } finally {
      rmSync(inFolder, { recursive: true, force: true })
    }
  })

  it('npm start names a taken port and the part that needs it', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    const inFolder = createFolder()
    try {
      await pollUntil('the port is not taken', LIMIT_MS, undefined, () => taken.listening)
      const address = taken.address()
      const apiPort = typeof address === 'object' && address ? address.port : 0
      const refused = await start(inFolder, { apiPort })
      expect(await refused.waitForExit()).to.equal(1)
      expect(refused.text()).to.include(`Port ${apiPort} is taken; the API needs it.`)
      expect(readdirSync(join(inFolder, 'run'))).to.deep.equal([])
      expect(readdirSync(inFolder)).not.to.include('postgres')
    } finally {
      taken.close()
      rmSync(inFolder, { recursive: true, force: true })
    }
  })
})

/** Creates an empty folder that takes the place of .svc. */
function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'svc-start-'))
}

async function startBundle(folder: string, overrides: Partial<Config>): Promise<StartedBundle> {
  const ports = { panelPort: await findFreePort(), apiPort: await findFreePort(), asrPort: await findFreePort() }
  const given = { ...ports, metricsPort: 0, audioDir: join(folder, 'audio'), modelsDir: join(folder, 'models') }
  const child = fork(process.env['SVC_TEST_BUNDLE']!, ['start', '--supervised'], {
    cwd: dirname(folder),
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  child.once('message', () => child.send({ ...given, ASR_MODEL: 'moonshine-tiny-en', ...overrides }))
  let text = ''
  let code: number | null | undefined
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (text += data.toString()))
  child.once('close', (value: number | null) => (code = value))
  return {
    process: child,
    pid: child.pid!,
    ports,
    text: () => text,
    async waitForOutput(part) {
      await pollUntil(`it does not say: ${part}`, LIMIT_MS, undefined, () => {
        if (code !== undefined) throw new Error(`it ended with ${code}:\n${text}`)
        return text.includes(part)
      })
    },
    async waitForExit() {
      await pollUntil('it does not end', LIMIT_MS, undefined, () => code !== undefined)
      return code ?? null
    },
  }
}

function findShown(start: StartedBundle, name: string): string {
  return new RegExp(`^ {2}${name} +(\\S+)`, 'm').exec(start.text())?.[1] ?? ''
}

function readPartPids(folder: string): number[] {
  const files = ['run/asr', 'run/api', 'run/dashboard', 'postgres/data/postmaster.pid', 'redis/redis.pid']
  return files.map((file) => Number.parseInt(readFileSync(join(folder, file), 'utf8')))
}

function post(start: StartedBundle, path: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${start.ports.apiPort}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
}
