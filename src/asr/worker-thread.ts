/** A worker thread of the recognizer: one model in memory, one file at a time. Started by pool.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { RecognitionError, type FromWorker, type Task, type ToWorker } from './contract.ts'
import type { EngineConfig } from './engines/engine.ts'
import { engineFor } from './engines/index.ts'
import { transcribe } from './transcribe.ts'

const port = parentPort!
const send = (message: FromWorker) => port.postMessage(message)

const config = workerData as EngineConfig
const module = await engineFor(config.ASR_MODEL)
const engine = await module.load(config)
let running: AbortController | undefined

port.on('message', (message: ToWorker) => {
  if (message.type === 'abort') running?.abort()
  else void work(message)
})
send({ type: 'ready' })

async function work(task: Task): Promise<void> {
  running = new AbortController()
  const { signal } = running
  try {
    const result = await transcribe(engine, task, (progress) => send({ type: 'progress', ...progress }), signal)
    send({ type: 'result', ...result })
  } catch (error) {
    send(signal.aborted ? { type: 'aborted' } : failure(error))
  }
}

function failure(error: unknown): FromWorker {
  if (error instanceof RecognitionError) return { type: 'error', code: error.code, message: error.message }
  const message = 'The recognizer failed on this file. Try again; if it happens again, look into its log.'
  return { type: 'error', code: 'INTERNAL', message, stack: (error as Error).stack }
}
