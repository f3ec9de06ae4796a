import { execFile, fork, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ScriptedRecognizer } from './recognizer.ts'
import { startTestApp, type TestApp } from './server.ts'
import { until } from './wait.ts'

const examples = join(dirname(dirname(process.env['SVC_TEST_BUNDLE']!)), 'docs/examples')
const SECRET = 'a secret of sixteen'
const TEXT = 'hello from the call'

describe('the examples of docs/integrating.md', () => {
  const recognizer = new ScriptedRecognizer()
  const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  const file = join(folder, 'call.wav')
  let app: TestApp
  before(async () => {
    writeFileSync(file, 'some sound')
    recognizer.answer = (recognition) => recognition.finish(TEXT)
    await recognizer.start()
    app = await startTestApp({
      asrUrl: recognizer.url,
      CALLBACK_SIGNING_SECRET: SECRET,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
    rmSync(folder, { recursive: true })
  })

  const run = async (program: string, example: string, key: string) => {
    const env = { PATH: process.env['PATH'], SVC_URL: app.url, SVC_KEY: key }
    return promisify(execFile)(program, [join(examples, example), file], { env }).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr }: { stderr: string }) => stderr,
    )
  }

  for (const [program, example, needs] of [
    [process.execPath, 'client.mjs', ['--version']],
    ['python3', 'client.py', ['--version']],
    ['php', 'client.php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']],
  ] as const) {
    it(`${example} prints the text of a call, the same when it is sent twice, and says what is wrong`, async function () {
      if (spawnSync(program, needs).status !== 0) this.skip()
      const key = app.ida.headers['X-API-Key']!
      expect(await run(program, example, key)).to.equal(TEXT)
      expect(await run(program, example, key)).to.equal(TEXT)
      expect(await run(program, example, 'svc_wrong')).to.match(/401: /)
    })
  }

  it('receiver.mjs takes a signed callback once and refuses a forged one', async () => {
    const receiver = fork(join(examples, 'receiver.mjs'), [], {
      env: { SECRET, PORT: '0' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    let said = ''
    receiver.stdout!.on('data', (data: Buffer) => (said += data.toString()))
    try {
      const port = await until('it listens', () => /listening on (\d+)/.exec(said)?.[1])
      const callbackUrl = `http://127.0.0.1:${port}/hooks/calls`
      await app.ida.upload('told', { callbackUrl, externalCallId: 'pbx-17' })
      await until('it has taken the callback', () => said.includes(`recording.done pbx-17 ${TEXT}`))
      const headers = { 'X-SVC-Timestamp': String(Math.floor(Date.now() / 1000)), 'X-SVC-Signature': 'sha256=00' }
      expect((await fetch(callbackUrl, { method: 'POST', headers, body: '{}' })).status).to.equal(401)
    } finally {
      receiver.kill()
    }
  })
})
