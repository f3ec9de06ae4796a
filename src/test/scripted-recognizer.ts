import { isUtf8 } from 'node:buffer'
import http from 'node:http'
import { startOnFreePort } from '../platform/lib/free-port.ts'
import type { TranscriptSegment } from '../calls/transcripts/entity.ts'
import { waitUntil } from './wait.ts'

/** A recognition that waits until the test ends it. */
export interface PendingRecognition {
  audio: Buffer
  decoder: string | null
  /** Such as /transcribe. */
  path: string
  authorization: string | undefined
  /** True if the API has closed the connection. */
  aborted: boolean
  /** True if the recognition has ended in any way. */
  closed: boolean
  progress(processedSeconds: number, totalSeconds: number): void
  /** Reports that the recognition waits for a free slot. */
  reportWaiting(): void
  /** Whether the speakers must be separated. */
  separateSpeakers: boolean
  /** Ends it with a text, or with segments and other fields of the result. */
  finish(result?: string | TranscriptSegment[], more?: object): void
  fail(code: string, message: string): void
  /** Writes a text to the response, which can violate the protocol. */
  writeText(text: string): void
  /** Ends the response without a result. */
  end(): void
  /** Breaks the connection, like a crashed recognizer. */
  disconnect(): void
}

/**
 * A real HTTP server with the protocol of the recognizer, whose results tests set.
 * It tests how the queue handles failures and time limits, which real speech cannot cause.
 */
export class ScriptedRecognizer {
  readonly pending: PendingRecognition[] = []
  /** If set, it is called with each new recognition, usually to end the recognition immediately. */
  answer: ((recognition: PendingRecognition) => void) | undefined
  /** The address of this machine on which it listens. Several recognizers have different addresses. */
  readonly host: string
  /** The queue that it reports with its state, which can include files of other clients. */
  queue: { running: number; waiting: number; places?: number } | undefined
  /** True if it does not respond to requests for its state. */
  isSilent = false
  /** If set, it rejects every recognition with this HTTP status. */
  rejectionStatus: number | undefined
  /** The times of rejected recognitions, in milliseconds. */
  readonly rejectedAt: number[] = []
  stateRequests = 0
  status: 'ready' | 'loading' = 'ready'
  url = ''
  private port: number
  private server = this.createServer()

  constructor(host = '127.0.0.1', port = 0) {
    this.host = host
    this.port = port
  }

  /** Starts listening. After a stop, it listens on the same port again. */
  async start(): Promise<this> {
    if (!this.server.listening && this.url) this.server = this.createServer()
    // startOnFreePort() reserves the port, so that no other test process takes it between a stop and a start.
    this.port = await (this.port ? this.listen(this.port) : startOnFreePort((port) => this.listen(port)))
    this.url = `http://${this.host}:${this.port}`
    return this
  }

  private listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(port, this.host, () => resolve(port))
    })
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  /** Waits for the `nth` recognition of a file with this content. The first one has the number 1. */
  waitForRecognition(audio: string, nth = 1): Promise<PendingRecognition> {
    return waitUntil(`recognition ${nth} of ${audio}`, () => this.recognitionsOf(audio)[nth - 1])
  }

  recognitionsOf(audio: string): PendingRecognition[] {
    return this.pending.filter((recognition) => recognition.audio.toString() === audio)
  }

  private createServer(): http.Server {
    return http.createServer((request, response) => {
      if (request.url === '/readyz') {
        this.sendState(response)
        return
      }
      if (request.url === '/playable') {
        request.once('readable', () => servePlayable(request, response))
        return
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => this.acceptRecognition(request, response, Buffer.concat(chunks)))
    })
  }

  private sendState(response: http.ServerResponse): void {
    this.stateRequests++
    if (this.isSilent) return
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        status: this.status,
        model: 'scripted',
        version: '1',
        decoder: 'greedy',
        precision: 'none',
        queue: this.queue,
      }),
    )
  }

  private acceptRecognition(request: http.IncomingMessage, response: http.ServerResponse, audio: Buffer): void {
    if (this.rejectionStatus) {
      this.rejectedAt.push(performance.now())
      response.writeHead(this.rejectionStatus).end()
      return
    }
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders()
    const line = (value: object) => response.write(`${JSON.stringify(value)}\n`)
    const recognition: PendingRecognition = {
      audio,
      decoder: new URL(request.url!, 'http://x').searchParams.get('decoder'),
      path: new URL(request.url!, 'http://x').pathname,
      authorization: request.headers.authorization,
      aborted: false,
      closed: false,
      progress: (processedSeconds, totalSeconds) => line({ type: 'progress', processedSeconds, totalSeconds }),
      reportWaiting: () => line({ type: 'progress', processedSeconds: 0, totalSeconds: null, waiting: true }),
      separateSpeakers: request.headers['x-separate-speakers'] === 'true',
      finish: (result = 'hello', more = {}) => {
        const audio = { channels: 1, speechSeconds: [1.3], silent: [false], identical: false, clipped: false }
        const measured = 'speakers' in more ? { audio } : {}
        line({ type: 'result', transcript: makeTranscript(result), durationSeconds: 1.5, ...measured, ...more })
        response.end()
      },
      fail: (code, message) => {
        line({ type: 'error', code, message })
        response.end()
      },
      writeText: (text) => response.write(text),
      end: () => response.end(),
      disconnect: () => response.destroy(),
    }
    response.on('close', () => {
      recognition.aborted = !response.writableFinished
      recognition.closed = true
    })
    this.pending.push(recognition)
    this.answer?.(recognition)
  }
}

/**
 * Forwards audio to the real recognizer, which converts it for playback. For a text, which tests upload as audio, sends a second of
 * silence, because the real recognizer would report an error.
 */
function servePlayable(request: http.IncomingMessage, response: http.ServerResponse): void {
  const firstChunk = (request.read() as Buffer | null) ?? Buffer.alloc(0)
  if (isUtf8(firstChunk) && !firstChunk.includes(0)) {
    request.resume()
    response.writeHead(200, { 'X-Channels': 1, 'X-Sample-Rate': 8000 })
    response.end(Buffer.alloc(8000, 0xff)) // The byte 0xff is silence in mu-law.
    return
  }
  request.unshift(firstChunk)
  const headers = { authorization: `Bearer ${process.env.TEST_ASR_API_KEY}` }
  const upstream = http.request(
    `${process.env.TEST_ASR_URL}/playable`,
    { method: 'POST', headers },
    (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode!, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    },
  )
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
}

function makeTranscript(result: string | TranscriptSegment[]) {
  const segments =
    typeof result !== 'string' ? result : result === '' ? [] : [{ start: 0.1, end: 1.4, channel: 0, text: result }]
  const text = segments.map((segment) => segment.text).join('\n')
  return { text, model: 'scripted', decoder: 'greedy', language: 'en', segments }
}
