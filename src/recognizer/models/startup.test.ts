import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../../platform/lib/free-port.ts'
import {
  makeMixedLetterSamples,
  TINY_LANGUAGE_MODEL_PATH,
  synthesizeLetterSamples,
  makeSilentSamples,
  TINY_MODEL_PATH,
  concatSamples,
  encodeWav,
} from '../../test/letter-audio.ts'
import { forkRecognizer, TestRecognizer } from '../../test/test-recognizer.ts'
import { serveModelFile, createStatusHubResponder, TestModelHub, type ModelHubResponder } from '../../test/model-hub.ts'
import { waitUntil } from '../../test/wait.ts'

/** Greedy decoding returns "дпбрый день" for this audio. */
const UNSURE_AUDIO = concatSamples(
  makeSilentSamples(20),
  synthesizeLetterSamples('д'),
  makeMixedLetterSamples('о', 'п', 0.6),
  synthesizeLetterSamples('брый день'),
)
const OTHER_CHANNEL_AUDIO = concatSamples(
  makeSilentSamples(70),
  synthesizeLetterSamples('перезвоните вечером'),
  makeSilentSamples(5),
)

interface RunResult {
  code: number
  stdout: string
  stderr: string
}

describe('recognizer start with T-one', () => {
  let hub: TestModelHub
  let folder: string
  let modelsDir: string
  beforeEach(async () => {
    hub = await TestModelHub.start({
      'model.onnx': readFileSync(TINY_MODEL_PATH),
      'kenlm.bin': readFileSync(TINY_LANGUAGE_MODEL_PATH),
    })
    folder = mkdtempSync(join(tmpdir(), 't-one-'))
    modelsDir = join(folder, 'models')
  })
  afterEach(async () => {
    await hub.stop()
    rmSync(folder, { recursive: true })
  })

  const overrides = (DECODER: 'greedy' | 'beam_search') =>
    ({ ASR_MODEL: 't-one', ASR_MODEL_HUB_URL: hub.url, DECODER, modelsDir }) as const
  const requested = () => [...new Set(hub.requests.splice(0).map(({ file }) => file))]

  it('the recognizer downloads its model, and the language model once beam_search is set', async () => {
    const greedy = await TestRecognizer.start(overrides('greedy'))
    try {
      const { model, version, decoder, precision } = await greedy.fetchReadiness()
      expect({ model, decoder, precision }).to.deep.equal({ model: 't-one', decoder: 'greedy', precision: 'float16' })
      expect(version).to.match(/^[0-9a-f]{12}$/)
      const { text, language, segments } = await greedy.transcript(encodeWav(UNSURE_AUDIO))
      expect([text, language]).to.deep.equal(['дпбрый день', 'ru'])
      const [{ confidence, ...segment } = {} as never] = segments
      expect(segment).to.include({ start: 0.6, end: 1.59, channel: 0, text: 'дпбрый день' })
      expect(confidence).to.be.within(0, 1)
      const searched = await greedy.transcript(encodeWav(UNSURE_AUDIO), '?decoder=beam_search')
      expect([searched.text, searched.decoder], 'a search without a language model').to.deep.equal([
        'дпбрый день',
        'beam_search',
      ])
    } finally {
      await greedy.stop()
    }
    expect(requested()).to.deep.equal(['model.onnx'])

    const beam = await TestRecognizer.start(overrides('beam_search'))
    try {
      expect(requested()).to.deep.equal(['kenlm.bin'])
      expect((await beam.fetchReadiness()).decoder).to.equal('beam_search')
      expect((await beam.transcript(encodeWav(UNSURE_AUDIO))).text).to.equal('добрый день')
      expect((await beam.transcript(encodeWav(UNSURE_AUDIO), '?decoder=greedy')).text).to.equal('дпбрый день')
      const both = await Promise.all(
        [encodeWav(UNSURE_AUDIO, OTHER_CHANNEL_AUDIO), encodeWav(OTHER_CHANNEL_AUDIO)].map((file) =>
          beam.transcript(file),
        ),
      )
      expect(both[0]!.segments.map(({ channel, text }) => [channel, text])).to.deep.equal([
        [0, 'добрый день'],
        [1, 'перезвоните вечером'],
      ])
      expect(both[1]!.text).to.equal('перезвоните вечером')
    } finally {
      await beam.stop()
    }
    expect(requested()).to.deep.equal([])
  })

  it('the recognizer opens no port during the download and resumes at the next start', async () => {
    const half: ModelHubResponder = (response, content) => {
      response.writeHead(200, { 'Content-Length': content.length, ETag: '"half"' })
      response.write(content.subarray(0, 600))
    }
    hub.etag = '"half"'
    hub.nextResponders.push(half)
    const asrPort = await findFreePort()
    const { child, ended } = forkRecognizer({ ...overrides('greedy'), asrPort, ASR_MAX_CONCURRENCY: 1 })
    const part = join(modelsDir, 'model.onnx.part')
    await waitUntil('the download stops at 600 bytes', () => statSync(part, { throwIfNoEntry: false })?.size === 600)
    expect(await isOpen(asrPort)).to.equal(false)
    const began = performance.now()
    child.kill('SIGTERM')
    expect((await ended).code).to.equal(0)
    expect(performance.now() - began).to.be.lessThan(20_000)

    const recognizer = await TestRecognizer.start({ ...overrides('greedy'), ASR_MAX_CONCURRENCY: 1 })
    expect((await recognizer.transcript(encodeWav(OTHER_CHANNEL_AUDIO))).text).to.equal('перезвоните вечером')
    await recognizer.stop()
    expect(hub.requests.at(-1)).to.include({ range: 'bytes=600-', ifRange: '"half"' })
    expect(readdirSync(modelsDir)).to.deep.equal(['model.onnx'])
  })

  it('the recognizer exits with 1 if the model cannot be downloaded', async () => {
    hub.defaultResponder = createStatusHubResponder(404)
    const { code, output } = await forkRecognizer(overrides('greedy')).ended
    expect(code).to.equal(1)
    expect(output).to.include('the recognizer cannot start with t-one: 127.0.0.1:')
    expect(output).to.include('answered 404 to the request for model.onnx').and.include('ASR_MODEL_HUB_URL')
  })

  it('the recognizer deletes a wrong model file, and two recognizers download only once', async () => {
    hub.defaultResponder = (response, _, request) =>
      serveModelFile(response, Buffer.from('<html>Sign in</html>'), request)
    const failed = await forkRecognizer(overrides('greedy')).ended
    expect(failed.code).to.equal(1)
    expect(failed.output).to.include("is not T-one's acoustic model")
    expect(readdirSync(modelsDir)).to.deep.equal([])
    hub.defaultResponder = undefined
    hub.requests.length = 0
    const values = { ...overrides('greedy'), ASR_MAX_CONCURRENCY: 1 }
    const both = await Promise.all([TestRecognizer.start(values), TestRecognizer.start(values)])
    const texts = await Promise.all(both.map((recognizer) => recognizer.transcript(encodeWav(OTHER_CHANNEL_AUDIO))))
    await Promise.all(both.map((recognizer) => recognizer.stop()))
    expect(texts.map(({ text }) => text)).to.deep.equal(['перезвоните вечером', 'перезвоните вечером'])
    expect(hub.ranges).to.deep.equal([undefined])
  })

  describe('command transcribe', () => {
    const run = (args: string[], DECODER = 'greedy') =>
      new Promise<RunResult>((resolve) => {
        const env = { ...process.env, ASR_MODEL: 't-one', ASR_MODEL_HUB_URL: hub.url, DECODER }
        execFile(
          process.execPath,
          [process.env.SVC_TEST_BUNDLE!, 'transcribe', ...args],
          { env },
          (error, stdout, stderr) => {
            resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
          },
        )
      })
    const writeAudio = (name: string, ...channels: Int16Array[]) => {
      writeFileSync(join(folder, name), encodeWav(...channels))
      return join(folder, name)
    }

    it('the command transcribe prints a transcript with times, and progress on stderr', async () => {
      const file = writeAudio('mono.wav', UNSURE_AUDIO)
      const { code, stdout, stderr } = await run(['--models', modelsDir, file], 'beam_search')
      expect([code, stdout]).to.deep.equal([0, '[0:00.6–0:01.6] добрый день\n'])
      expect(stderr).to.include('fetching kenlm.bin').and.include('mono.wav: 100 %')
    })

    it('the command transcribe names files and channels and continues after a bad file', async () => {
      const bad = join(folder, 'bad.wav')
      writeFileSync(bad, 'no sound')
      const stereo = writeAudio(
        'stereo.wav',
        concatSamples(makeSilentSamples(2000 * 3 - 20), UNSURE_AUDIO),
        OTHER_CHANNEL_AUDIO,
      )
      const { code, stdout, stderr } = await run(['--models', modelsDir, bad, stereo])
      expect(code).to.equal(1)
      expect(stdout).to.equal(
        `==> ${bad} <==\n==> ${stereo} <==\n` +
          '[0:02.1–0:03.8] right: перезвоните вечером\n[3:00.0–3:01.0] left: дпбрый день\n',
      )
      expect(stderr)
        .to.match(/bad\.wav: The file holds no audio/)
        .and.include('1 of 2 files')
    })

    it('the command transcribe prints its usage and rejects invalid arguments', async () => {
      expect(await run(['--help'])).to.deep.include({ code: 0, stderr: '' })
      expect(await run([])).to.include({ code: 2, stdout: '' })
      const missing = await run(['--models', modelsDir, join(folder, 'missing.wav')])
      expect(missing.code).to.equal(1)
      expect(missing.stderr).to.match(/^transcribe: Cannot read .*missing\.wav: ENOENT/)
      expect(hub.requests).to.deep.equal([])
    })
  })
})

/** Returns true if a server listens on this port. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })
}
