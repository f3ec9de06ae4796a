import type { CallListener } from '../calls/listener.ts'
import { callCheckListener } from '../check/checks/check-requests.ts'
import { speakersListener } from '../check/speakers/listener.ts'
import { crmCallListener } from '../crm/calls/call-listener.ts'

/** These modules run code in the transactions that insert, change or delete a call. */
export const CALL_LISTENERS: readonly CallListener[] = [crmCallListener, callCheckListener, speakersListener]
