import type { Core } from '../platform/core.ts'
import type { CallListener } from './listener.ts'
import type { RecognizerPool } from './transcription/recognizers.ts'

/** The core with the additional dependencies of the calls module. */
export interface CallsCore extends Core {
  /** The recognizers to which the name in ASR_URL resolves. */
  recognizers: RecognizerPool
  /** Callbacks of higher modules that run in the transactions of a call. */
  callListeners: readonly CallListener[]
}
