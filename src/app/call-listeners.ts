import type { CallListener } from '../calls/listener.ts'
import { callCheckListener } from '../check/checks/check-requests.ts'
import type { CheckListener } from '../check/listener.ts'
import { speakersListener } from '../check/speakers/listener.ts'
import { crmCallListener } from '../crm/calls/call-listener.ts'
import { notificationsListener } from '../work/notifications/check-listener.ts'
import { viewsCallListener, viewsCheckListener } from '../work/views/listeners.ts'

/** The listeners that other modules add to the events of a call, such as a stored transcript or a correction. */
export const CALL_LISTENERS: readonly CallListener[] = [
  crmCallListener,
  callCheckListener,
  speakersListener,
  viewsCallListener,
]

/** These modules run code in the transactions of checks, disputes and decisions. */
export const CHECK_LISTENERS: readonly CheckListener[] = [notificationsListener, viewsCheckListener]
