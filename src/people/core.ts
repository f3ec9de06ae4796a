import type { Core } from '../platform/core.ts'
import type { LoginThrottle } from './auth/throttle.ts'

/** What the login needs besides `Core`. */
export interface PeopleCore extends Core {
  throttle: LoginThrottle
}
