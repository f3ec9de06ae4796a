import { execFile, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startFaultyProxy, type ProxyFault } from './faulty-proxy.ts'
import { ScriptedRecognizer } from './scripted-recognizer.ts'
import { startTestApp, type TestApp } from './server.ts'
import { waitUntil } from './wait.ts'

const EXAMPLES_FOLDER = join(dirname(dirname(process.env['SVC_TEST_BUNDLE']!)), 'docs/examples')
const CALLBACK_SECRET = 'a secret of sixteen'
const CALL_TEXT = 'hello from the call'
/** A client must retry after each of these faults. */
const FAULTS: readonly ProxyFault[] = [500, 502, 503, 507, 'close at once', 'close in the middle']

describe('examples of docs/integrating.md', () => {
  const recognizer = new ScriptedRecognizer()
  const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  const file = join(folder, 'call.wav')
  let app: TestApp
  before(async () => {
    writeFileSync(file, 'some sound')
    recognizer.answer = (recognition) => recognition.finish(CALL_TEXT)
    await recognizer.start()
    app = await startTestApp({
      asrUrl: recognizer.url,
      CALLBACK_SIGNING_SECRET: CALLBACK_SECRET,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
    rmSync(folder, { recursive: true })
  })

  const run = async (program: string, example: string, { key = '', url = app.url } = {}) => {
    const env = { PATH: process.env['PATH'], SVC_URL: url, SVC_KEY: key, SVC_RETRY_SECONDS: '0.01' }
    return promisify(execFile)(program, [join(EXAMPLES_FOLDER, example), file], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout.trim(), log: stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: '', log: stderr }),
    )
  }

  for (const [program, example, needs] of [
    [process.execPath, 'client.mjs', ['--version']],
    ['python3', 'client.py', ['--version']],
    ['php', 'client.php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']],
  ] as const) {
    describe(example, () => {
      const attempts = (log: string) => log.match(/^attempt \d+ failed: /gm)?.length ?? 0
      let key: string
      before(function () {
        if (spawnSync(program, needs).status !== 0) this.skip()
        key = app.ida.headers['X-API-Key']!
      })

      it('the client example prints the transcript, also when it is repeated', async () => {
        expect(await run(program, example, { key })).to.include({ code: 0, text: CALL_TEXT, log: '' })
        expect(await run(program, example, { key })).to.include({ code: 0, text: CALL_TEXT, log: '' })
      })

      it('the client example stops at a permanent error and prints its message', async () => {
        const { code, log } = await run(program, example, { key: 'svc_wrong' })
        expect(code).to.not.equal(0)
        expect(log).to.match(/401: Missing or invalid credentials/)
        expect(attempts(log)).to.equal(0)
      })

      it('the client example retries each temporary fault until the service responds', async () => {
        const faulty = await startFaultyProxy(app.url, [...FAULTS])
        try {
          const { code, text, log } = await run(program, example, { key, url: faulty.url })
          expect({ code, text }, log).to.deep.equal({ code: 0, text: CALL_TEXT })
          expect(attempts(log), log).to.equal(FAULTS.length)
          expect(faulty.remainingFaults).to.deep.equal([])
        } finally {
          await faulty.stop()
        }
      })

      it('the client example finds its call if the response to the upload was lost', async () => {
        const faulty = await startFaultyProxy(app.url, ['close after the service answered'])
        try {
          const { text, log } = await run(program, example, { key, url: faulty.url })
          expect(text, log).to.equal(CALL_TEXT)
          expect(attempts(log)).to.equal(1)
        } finally {
          await faulty.stop()
        }
      })

      it("the client example prints the HTML of a proxy's permanent rejection", async () => {
        const faulty = await startFaultyProxy(app.url, [413])
        try {
          expect((await run(program, example, { key, url: faulty.url })).log).to.match(/413: <html>/)
        } finally {
          await faulty.stop()
        }
      })

      it('the client example gives up after seven attempts if connections are refused', async () => {
        const { code, log } = await run(program, example, { key, url: 'http://127.0.0.1:2' })
        expect(code).to.not.equal(0)
        expect(attempts(log)).to.equal(6)
        expect(log).to.match(/gave up after 7 attempts: .*(refused|connect)/i)
      })
    })
  }

  describe('receiver.mjs', () => {
    const start = (env: NodeJS.ProcessEnv) =>
      fork(join(EXAMPLES_FOLDER, 'receiver.mjs'), [], { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })

    it('the receiver example accepts a signed callback once and rejects a forged one', async () => {
      const receiver = start({ SECRET: CALLBACK_SECRET, PORT: '0' })
      let said = ''
      receiver.stdout!.on('data', (data: Buffer) => (said += data.toString()))
      receiver.stderr!.on('data', (data: Buffer) => (said += data.toString()))
      try {
        const port = Number(await waitUntil('it listens', () => /listening on (\d+)/.exec(said)?.[1]))
        const socket = connect(port, '127.0.0.1')
        socket.write('POST /hooks/calls HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"half":')
        await once(socket, 'connect')
        socket.end().destroySoon()
        await waitUntil('it has met the aborted request', () => said.includes('a request failed: '))

        const callbackUrl = `http://127.0.0.1:${port}/hooks/calls`
        await app.ida.upload('told', { callbackUrl, externalCallId: 'pbx-17' })
        await waitUntil('it has taken the callback', () => said.includes(`recording.done pbx-17 ${CALL_TEXT}`))
        const headers = { 'X-SVC-Timestamp': String(Math.floor(Date.now() / 1000)), 'X-SVC-Signature': 'sha256=00' }
        expect((await fetch(callbackUrl, { method: 'POST', headers, body: '{}' })).status).to.equal(401)
      } finally {
        receiver.kill()
      }
    })

    it('the receiver example does not start without a secret', async () => {
      const receiver = start({ PORT: '0' })
      const [code] = await once(receiver, 'exit')
      expect(code).to.equal(1)
    })
  })
})
