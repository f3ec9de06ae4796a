import { callbacksQueue } from './callbacks/queue.ts'
import type { Queue } from './queue/queue.ts'
import { transcriptionQueue } from './transcription/queue.ts'

/** The queues of background work: each is described in its feature. */
export const QUEUES: readonly Queue[] = [transcriptionQueue, callbacksQueue]
