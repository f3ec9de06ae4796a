import type { CallListener } from '../calls/listener.ts'
import { checkListener } from '../check/checks/check-requests.ts'
import { speakersListener } from '../check/speakers/listener.ts'
import { crmCallListener } from '../crm/calls/call-listener.ts'

/** The modules that take part in the transactions of a call. */
export const CALL_LISTENERS: readonly CallListener[] = [crmCallListener, checkListener, speakersListener]
