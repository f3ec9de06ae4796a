import type { Core } from '../platform/core.ts'
import type { CallListener } from './listener.ts'
import type { RecognizerPool } from './transcription/recognizers.ts'

/** The dependencies of services of calls besides `Core`. */
export interface CallsCore extends Core {
  /** The recognizers behind ASR_URL. */
  recognizers: RecognizerPool
  /** Modules above that take part in the transactions of a call. */
  callListeners: readonly CallListener[]
}
