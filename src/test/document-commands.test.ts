import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ScriptedRecognizer } from './scripted-recognizer.ts'
import { startTestApp, type TestApp } from './server.ts'
import { waitUntil } from './wait.ts'

/**
 * Matches the comment before a block of commands. It states that this test runs them, that another test covers them, or what they
 * need.
 */
const MARKER = /<!-- commands: (?:(?<run>run)|tested by (?<test>\S+)|untested, they need (?<needs>[^>]+)) -->\s*$/

/** The values by which this test replaces addresses and names of the documents. */
const README_API = 'http://127.0.0.1:3001'

interface CommandBlock {
  place: string
  marker: RegExpExecArray | null
  commands: string
}

function listCommandBlocks(file: string): CommandBlock[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map((match) => ({
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
    marker: MARKER.exec(text.slice(0, match.index)),
    commands: match[1]!,
  }))
}

describe('commands in the documents', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'bench/README.md',
    ...listDocuments('docs'),
    ...listDocuments('deploy'),
  ]
  const blocks = files.flatMap(listCommandBlocks)
  const folder = mkdtempSync(join(tmpdir(), 'svc-commands-'))
  const recognizer = new ScriptedRecognizer()
  let app: TestApp
  let id: string
  before(async () => {
    recognizer.answer = (recognition) => recognition.finish('delivery date')
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url })
    mkdirSync(join(folder, 'samples'))
    for (const name of ['call.wav', 'samples/call.wav', 'samples/sales-call.wav'])
      writeFileSync(join(folder, name), `the audio of ${name}`)
    mkdirSync(join(app.config.audioDir, 'archive'))
    writeFileSync(join(app.config.audioDir, 'archive/17.mp3'), 'the audio of a stored call')
    id = (await app.ida.upload('the audio of a call', {})).json.id
    await waitUntil('it is transcribed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
    rmSync(folder, { recursive: true })
  })

  it('each command block in the documents names its test or why it has none', () => {
    expect(blocks.filter(({ marker }) => marker === null).map(({ place }) => place)).to.deep.equal([])
    const tests = blocks.flatMap(({ marker }) => marker!.groups!['test'] ?? [])
    expect(tests.filter((file) => !existsSync(file))).to.deep.equal([])
  })

  for (const { place, commands } of blocks.filter(({ marker }) => marker?.groups!['run'])) {
    it(`the commands succeed: ${place}`, async () => {
      const script = commands.replaceAll(README_API, app.url).replaceAll(/(?<!\$)\bID\b/g, id)
      const env = { ...process.env, KEY: app.ida.headers['X-API-Key'], API: app.url, ID: id }
      const strict = 'set -euo pipefail\ncurl() { command curl --fail-with-body -sS "$@"; }\n'
      const options = { cwd: folder, env, maxBuffer: 1e7 }
      const { code, stdout } = await promisify(execFile)('bash', ['-c', strict + script], options).then(
        (result) => ({ code: 0, stdout: result.stdout }),
        (error: { code: number; stdout: string; stderr: string }) => ({
          code: error.code,
          stdout: error.stdout + error.stderr,
        }),
      )
      expect(code, stdout).to.equal(0)
    })
  }
})

function listDocuments(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name))
}
