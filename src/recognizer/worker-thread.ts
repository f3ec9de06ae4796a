/** A worker thread of the recognizer. It loads one model and uses it for all its files. The worker pool starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import {
  RecognitionError,
  type RecognitionProgress,
  type RecognizerWorkerMessage,
  type RecognizerWorkerRequest,
} from './contract.ts'
import type { EngineConfig } from './engines/engine.ts'
import { loadEngineModule } from './engines/index.ts'
import { separateSpeakersOfFile } from './separate-file.ts'
import { transcribeAudioFile } from './transcribe.ts'

const port = parentPort!
const sendToPool = (message: RecognizerWorkerMessage) => port.postMessage(message)

const config = workerData as EngineConfig
const engineModule = await loadEngineModule(config.ASR_MODEL)
const engine = await engineModule.load(config)
const running = new Map<number, AbortController>()

port.on('message', (message: RecognizerWorkerRequest) => {
  if (message.type === 'abort') running.get(message.id)?.abort()
  else void runTask(message)
})
sendToPool({ type: 'ready' })

async function runTask(task: Exclude<RecognizerWorkerRequest, { type: 'abort' }>): Promise<void> {
  const { id } = task
  const abort = new AbortController()
  const { signal } = abort
  running.set(id, abort)
  const onProgress = (progress: RecognitionProgress) => sendToPool({ type: 'progress', id, ...progress })
  try {
    const result =
      task.type === 'separate'
        ? await separateSpeakersOfFile(task, onProgress, signal)
        : await transcribeAudioFile(engine, task, onProgress, signal)
    sendToPool({ type: 'result', id, ...result })
  } catch (error) {
    sendToPool(signal.aborted ? { type: 'aborted', id } : { id, ...describeFailure(error) })
  } finally {
    running.delete(id)
  }
}

function describeFailure(error: unknown) {
  if (error instanceof RecognitionError) return { type: 'error' as const, code: error.code, message: error.message }
  const message = 'The recognizer failed on this file. Try again; if it happens again, look into its log.'
  return { type: 'error' as const, code: 'INTERNAL' as const, message, stack: (error as Error).stack }
}
