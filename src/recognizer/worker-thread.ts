/** A worker thread of the recognizer: one model in memory, for all files that it has in work. Started by pool.ts. */
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
const running = new Map<number, AbortController>()

port.on('message', (message: ToWorker) => {
  if (message.type === 'abort') running.get(message.id)?.abort()
  else void work(message.id, message)
})
send({ type: 'ready' })

async function work(id: number, task: Task): Promise<void> {
  const abort = new AbortController()
  const { signal } = abort
  running.set(id, abort)
  try {
    const result = await transcribe(engine, task, (progress) => send({ type: 'progress', id, ...progress }), signal)
    send({ type: 'result', id, ...result })
  } catch (error) {
    send(signal.aborted ? { type: 'aborted', id } : { id, ...failure(error) })
  } finally {
    running.delete(id)
  }
}

function failure(error: unknown) {
  if (error instanceof RecognitionError) return { type: 'error' as const, code: error.code, message: error.message }
  const message = 'The recognizer failed on this file. Try again; if it happens again, look into its log.'
  return { type: 'error' as const, code: 'INTERNAL' as const, message, stack: (error as Error).stack }
}
