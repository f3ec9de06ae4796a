import type { Core } from '../platform/core.ts'
import type { LoginThrottle } from './auth/login-throttle.ts'

/** The dependencies of the login besides `Core`. */
export interface PeopleCore extends Core {
  throttle: LoginThrottle
}
