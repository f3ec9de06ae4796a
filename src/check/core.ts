import type { Core } from '../platform/core.ts'
import type { CheckListener } from './listener.ts'

/** The core with the additional dependencies of the check module. */
export interface CheckCore extends Core {
  /** Callbacks of higher modules that run in the transactions of checks and reviews. */
  checkListeners: readonly CheckListener[]
}
