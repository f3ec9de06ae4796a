import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** One recognition that the scripted recognizer holds until the test decides. */
export interface HeldRecognition {
  audio: Buffer
  decoder: string | null
  /** Whether the API has closed the connection. */
  aborted: boolean
  progress(processedSeconds: number, totalSeconds: number): void
  finish(text?: string): void
  fail(code: string, message: string): void
  /** Breaks the connection, as a recognizer that dies does. */
  die(): void
}

/**
 * A recognizer whose answers the test decides: a real HTTP server that speaks the protocol of the real one. For the
 * queue's rules about failures and time, which real speech cannot be made to show.
 */
export class ScriptedRecognizer {
  readonly held: HeldRecognition[] = []
  /** Set to answer at once instead of holding. */
  answer: ((recognition: HeldRecognition) => void) | undefined
  status: 'ready' | 'loading' = 'ready'
  url = ''
  private readonly server = http.createServer((request, response) => {
    if (request.url === '/readyz') {
      this.sendState(response)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => this.hold(request, response, Buffer.concat(chunks)))
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private sendState(response: http.ServerResponse): void {
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({ status: this.status, model: 'scripted', version: '1', decoder: 'greedy', precision: 'none' }),
    )
  }

  private hold(request: http.IncomingMessage, response: http.ServerResponse, audio: Buffer): void {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders()
    const line = (value: object) => response.write(`${JSON.stringify(value)}\n`)
    const recognition: HeldRecognition = {
      audio,
      decoder: new URL(request.url!, 'http://x').searchParams.get('decoder'),
      aborted: false,
      progress: (processedSeconds, totalSeconds) => line({ type: 'progress', processedSeconds, totalSeconds }),
      finish: (text = 'hello') => {
        line({ type: 'result', transcript: scriptedTranscript(text), durationSeconds: 1.5 })
        response.end()
      },
      fail: (code, message) => {
        line({ type: 'error', code, message })
        response.end()
      },
      die: () => response.destroy(),
    }
    response.on('close', () => (recognition.aborted = !response.writableFinished))
    this.held.push(recognition)
    this.answer?.(recognition)
  }
}

function scriptedTranscript(text: string) {
  const segments = text === '' ? [] : [{ start: 0.1, end: 1.4, channel: 0, text }]
  return { text, model: 'scripted', decoder: 'greedy', language: 'en', segments }
}
