import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../platform/config/config.ts'
import { startOnFreePort } from '../platform/lib/free-port.ts'
import type { RecognitionProgress, RecognitionResult, RecognitionTranscript } from '../recognizer/contract.ts'
import { waitUntil } from './wait.ts'

export const TEST_ASR_API_KEY = 'a key of the tests'
/** The path of the sample call, relative to the project folder, in which the tests run. */
export const SAMPLE_CALL_PATH = 'samples/call.wav'

/** Finds the nearest folder above this bundle that contains `name`. */
function findFolderAbove(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, name))) folder = dirname(folder)
  return folder
}

/** A temporary folder for audio files, which ffmpeg creates. */
export class TestAudioFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'asr-test-'))

  /**
   * Runs ffmpeg with `args` and the path of a new file, unless the file exists.
   * @returns the path of the file
   */
  encodeFile(name: string, ...args: string[]): string {
    const file = join(this.folder, name)
    if (existsSync(file)) return file
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, file])
    return file
  }

  /**
   * Generates audio with a filter graph of ffmpeg, such as a sine wave.
   * @returns the path of the file
   */
  generateFile(name: string, graph: string, ...args: string[]): string {
    return this.encodeFile(name, '-f', 'lavfi', '-i', graph, ...args)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/**
 * Repeats the sample call in one file that is small enough for an upload. It is encoded once and then copied, because encoding
 * takes longest.
 * @returns the path of the file
 */
export function encodeRepeatedSampleCall(audioFolder: TestAudioFolder, count: number): string {
  const singleFile = audioFolder.encodeFile(
    'once.ogg',
    '-i',
    SAMPLE_CALL_PATH,
    '-ac',
    '1',
    '-c:a',
    'libopus',
    '-b:a',
    '8k',
  )
  return audioFolder.encodeFile(`${count} times.ogg`, '-stream_loop', String(count - 1), '-i', singleFile, '-c', 'copy')
}

/**
 * Repeats the sample call 41 times in one file, so that tests can observe its recognition.
 * @returns the path of the file
 */
export const encodeLongSampleCall = (audioFolder: TestAudioFolder): string => encodeRepeatedSampleCall(audioFolder, 41)

type ResponseLine =
  | ({ type: 'progress'; waiting?: true } & RecognitionProgress)
  | ({ type: 'result' } & RecognitionResult)
  | { type: 'error'; code: string; message: string }

/** The response of POST /transcribe with its parsed lines. */
interface RecognizerResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  lines: ResponseLine[]
  text: string
}

interface Readiness {
  status: string
  model: string
  version: string
  decoder: string
  precision: string
  queue: { running: number; waiting: number }
}

/** The product's recognizer in a separate process on a free port. */
export class TestRecognizer {
  readonly url: string
  readonly pid: number
  private readonly child: ChildProcess
  private readonly agent = new Agent({ connections: 50 })

  private constructor(child: ChildProcess, port: number) {
    this.child = child
    this.pid = child.pid!
    this.url = `http://127.0.0.1:${port}`
  }

  static start(overrides: Partial<Config> = {}): Promise<TestRecognizer> {
    return startOnFreePort((port) => this.startOn(port, overrides))
  }

  private static async startOn(port: number, overrides: Partial<Config>): Promise<TestRecognizer> {
    const { child, ended } = forkRecognizer({ asrPort: port, LOG_LEVEL: 'warn', ...overrides })
    const recognizer = new TestRecognizer(child, port)
    let exitOutput: string | undefined
    void ended.then(({ output }) => (exitOutput = output))
    await waitUntil(
      'the recognizer is ready',
      async () => {
        if (exitOutput !== undefined) return true
        return (await recognizer.fetchReadiness().catch(() => undefined))?.status === 'ready'
      },
      60_000,
    )
    if (exitOutput === undefined) return recognizer
    throw new Error(`the recognizer ended while starting: ${exitOutput}`)
  }

  async get(path: string, options: Partial<Dispatcher.RequestOptions> = {}): Promise<RecognizerResponse> {
    return this.sendRequest(path, { method: 'GET', ...options })
  }

  async fetchReadiness(): Promise<Readiness> {
    return JSON.parse((await this.get('/readyz')).text) as Readiness
  }

  /**
   * Sends a file and reads the whole response.
   * @param onLine called with each line on arrival
   */
  async transcribe(
    body: string | Buffer,
    {
      query = '',
      signal,
      key = TEST_ASR_API_KEY,
      separateSpeakers = false,
    }: { query?: string; signal?: AbortSignal; key?: string; separateSpeakers?: boolean } = {},
    onLine: (line: ResponseLine) => void = () => undefined,
  ): Promise<RecognizerResponse> {
    const bytes = typeof body === 'string' ? readFileSync(body) : body
    const headers = { authorization: `Bearer ${key}`, 'x-separate-speakers': String(separateSpeakers) }
    return this.sendRequest(
      `/transcribe${query}`,
      { method: 'POST', body: bytes, headers, signal: signal ?? null },
      onLine,
    )
  }

  /** Sends a body of several parts and reads the response to its end. */
  async post(path: string, parts: (string | Buffer)[], key = TEST_ASR_API_KEY): Promise<RecognizerResponse> {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
    return this.sendRequest(path, { method: 'POST', body, headers: { authorization: `Bearer ${key}` } })
  }

  /**
   * Transcribes a file.
   * @throws Error if the recognizer reports an error
   */
  async transcript(body: string | Buffer, query = ''): Promise<RecognitionTranscript & { durationSeconds: number }> {
    const { text, lines } = await this.transcribe(body, { query })
    const last = lines.at(-1)
    if (last?.type !== 'result') throw new Error(`no result but: ${text}`)
    return { ...last.transcript, durationSeconds: last.durationSeconds }
  }

  /**
   * Sends a file that the recognizer must reject.
   * @returns its error
   */
  async transcribeError(body: string | Buffer): Promise<{ code: string; message: string }> {
    const { text, lines } = await this.transcribe(body)
    const last = lines.at(-1)
    if (last?.type !== 'error') throw new Error(`no error but: ${text}`)
    return last
  }

  /** Lists the ids of the recognizer's running child processes, such as ffmpeg. */
  childPids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && readParentPid(name) === this.pid)
      .map(Number)
  }

  async stop(): Promise<number | null> {
    await this.agent.destroy()
    if (this.child.exitCode !== null) return this.child.exitCode
    this.child.kill('SIGTERM')
    const [code] = (await once(this.child, 'exit')) as [number | null]
    return code
  }

  private async sendRequest(
    path: string,
    options: Partial<Dispatcher.RequestOptions>,
    onLine: (line: ResponseLine) => void = () => undefined,
  ): Promise<RecognizerResponse> {
    const { statusCode, headers, body } = await request(`${this.url}${path}`, {
      dispatcher: this.agent,
      ...options,
    })
    const lines: ResponseLine[] = []
    let text = ''
    let seen = 0
    for await (const chunk of body) {
      text += String(chunk)
      for (let end = text.indexOf('\n', seen); end >= 0; end = text.indexOf('\n', seen)) {
        lines.push(JSON.parse(text.slice(seen, end)) as ResponseLine)
        onLine(lines.at(-1)!)
        seen = end + 1
      }
    }
    return { status: statusCode, headers, lines, text }
  }
}

const DEFAULT_CONFIG: Partial<Config> = {
  host: '127.0.0.1',
  metricsPort: 0,
  ASR_MODEL: 'moonshine-tiny-en',
  DECODER: 'greedy',
  TRANSCRIPTION_CONCURRENCY: 1,
  // Each slot loads the model again, which costs processor time.
  ASR_MAX_CONCURRENCY: 1,
}

/** Starts the recognizer in a child process, which receives configuration by message like under `start`. */
export function forkRecognizer(overrides: Partial<Config>): {
  child: ChildProcess
  ended: Promise<{ code: number | null; output: string }>
} {
  const child = fork(join(findFolderAbove('svc.js'), 'svc.js'), ['asr', '--supervised'], {
    env: { ...process.env, ASR_API_KEY: TEST_ASR_API_KEY },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const values = { ...DEFAULT_CONFIG, ...overrides }
  child.once('message', () => child.send(values))
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  return { child, ended }
}

function readParentPid(pid: string): number | undefined {
  try {
    // The process name in parentheses can contain any character. The parent's id is the second field after it.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1])
  } catch {
    return undefined // The process has ended since the listing.
  }
}

/** Converts a transcript to lower-case words without punctuation, to compare it with an expected text. */
export function normalizeTranscriptText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z ]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}
