import type { Queue } from '../../platform/queue/queue.ts'
import type { CallsCore } from '../core.ts'
import { IS_MENDABLE, requeueRecordings } from '../recordings/service.ts'
import type { Recognition } from './recognizer.ts'
import { failTranscription, finishTranscription } from './service.ts'
import { isReadyToTranscribe, transcribe } from './worker.ts'
import { transcriptionMessages } from './messages.ts'

/** Calls to transcribe: a recording is its own job. */
export const transcriptionQueue: Queue<Recognition> = {
  name: 'transcription',
  table: 'recordings',
  recordingColumn: 'id',
  order: 'priority DESC, created_at, id',
  resetColumns: 'progress_percent = 0',
  progressColumns: ['progress_percent', 'duration_seconds'],
  concurrency: ({ recognizers }: CallsCore) => recognizers.slots,
  attempts: (config) => config.TRANSCRIPTION_ATTEMPTS,
  firstPauseSeconds: (config) => config.TRANSCRIPTION_RETRY_DELAY_SECONDS,
  leaseSeconds: 30,
  startsOver: true,
  heartbeatSeconds: 1, // progress is shown, and a cancel noticed, within a second
  messages: {
    workerDied: transcriptionMessages.workerDied(),
    broken: transcriptionMessages.broken(),
  },
  isReady: isReadyToTranscribe,
  run: transcribe,
  store: finishTranscription,
  fail: failTranscription,
  // What an error of its audio has failed would only fail again.
  retryable: IS_MENDABLE('j'),
  retryFailed: (sql, actor) => requeueRecordings(sql, actor, IS_MENDABLE('r')),
}
