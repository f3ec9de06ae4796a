import type { ServerResponse } from 'node:http'
import type { Logger } from '../platform/lib/log.ts'
import { RecognitionError, type RecognitionProgress, type TranscriptSegment, type WorkerTask } from './contract.ts'
import { recognizerMessages } from './messages.ts'
import type { RecognizerWorkerPool } from './worker-pool.ts'

/** Interval of progress lines. Callers treat a long silence as a lost connection. */
const PROGRESS_INTERVAL_MS = 1000

interface StreamContext {
  pool: RecognizerWorkerPool
  log: Logger
  /** Returns true if beam_search has no language model on this recognizer. */
  lacksLanguageModel: () => boolean
}

/**
 * Works on a received file of `size` bytes. Streams JSON lines of progress, then one with the result or an error. A closed
 * connection aborts the work.
 */
export async function streamResult(
  recognizer: StreamContext,
  task: WorkerTask,
  size: number,
  response: ServerResponse,
): Promise<void> {
  const { pool, log } = recognizer
  const decoder = 'decoder' in task ? task.decoder : undefined
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  if (response.destroyed) return
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' })
  const sendLine = (line: object) => response.write(`${JSON.stringify(line)}\n`)
  let latest: RecognitionProgress & { waiting?: true } = { processedSeconds: 0, totalSeconds: null, waiting: true }
  const unsentSegments: TranscriptSegment[] = []
  const sendProgress = () => {
    const { processedSeconds, totalSeconds, waiting } = latest
    const segments = unsentSegments.length > 0 ? unsentSegments.splice(0) : undefined
    sendLine({ type: 'progress', processedSeconds, totalSeconds, waiting, segments })
  }
  sendProgress()
  const timer = setInterval(sendProgress, PROGRESS_INTERVAL_MS)
  const startedAt = performance.now()
  const seconds = () => Number(((performance.now() - startedAt) / 1000).toFixed(2))
  try {
    if (size === 0) throw new RecognitionError('UNSUPPORTED_AUDIO', 'The file is empty. Send the audio as the body.')
    const onProgress = (progress: RecognitionProgress) => {
      const isFirst = latest.waiting
      latest = progress
      unsentSegments.push(...(progress.segments ?? []))
      // Send the start at once, so that the API counts the attempt even if the file crashes this process.
      if (isFirst) sendProgress()
    }
    const result = await pool.run(task, onProgress, closed.signal)
    if (decoder === 'beam_search' && recognizer.lacksLanguageModel()) {
      log.warn('beam_search went by the sound alone: with DECODER=greedy no language model has been fetched')
    }
    const audioSeconds = latest.totalSeconds
    log.info({ size, decoder, audioSeconds, seconds: seconds() }, decoder ? 'recognised' : 'speakers separated')
    sendLine({ type: 'result', ...result })
  } catch (error) {
    if (closed.signal.aborted)
      return log.info({ size, seconds: seconds() }, 'the client disconnected; the recognition was aborted')
    const known = error instanceof RecognitionError
    const { code, message } = known ? error : new RecognitionError('INTERNAL', recognizerMessages.broken().text)
    log[known ? 'warn' : 'error']({ err: known ? undefined : error, size, code, seconds: seconds() }, 'not recognised')
    sendLine({ type: 'error', code, message })
  } finally {
    clearInterval(timer)
    response.end()
  }
}
