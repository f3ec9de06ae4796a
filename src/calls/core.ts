import type { Core } from '../platform/core.ts'
import type { CallListener } from './listener.ts'
import type { RecognizerPool } from './transcription/recognizers.ts'

/** The core with the additional dependencies of the calls module. */
export interface CallsCore extends Core {
  /** The recognizers to which the name in ASR_URL resolves. */
  recognizers: RecognizerPool
  /** Functions of higher modules that run when a call changes, mostly in the same transaction. */
  callListeners: readonly CallListener[]
}
