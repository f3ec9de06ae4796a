import type { CallListener } from '../calls/listener.ts'
import { callCheckListener } from '../check/checks/check-requests.ts'
import { speakersListener } from '../check/speakers/listener.ts'
import { crmCallListener } from '../crm/calls/call-listener.ts'

/** The listeners that other modules add to the events of a call, such as a stored transcript or a correction. */
export const CALL_LISTENERS: readonly CallListener[] = [crmCallListener, callCheckListener, speakersListener]
