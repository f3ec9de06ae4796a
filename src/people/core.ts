import type { Core } from '../platform/core.ts'
import type { LoginThrottle } from './auth/login-throttle.ts'

/** Adds the login throttle, which the people module needs, to the shared dependencies. */
export interface PeopleCore extends Core {
  throttle: LoginThrottle
}
