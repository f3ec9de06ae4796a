import type { Message } from '../../platform/lib/messages.ts'
import { portalMessages } from './messages.ts'

/**
 * What an error means: ask again after a pause, everything stops (limit), this method is closed for a while (operating),
 * the portal lets us in no more (blocked), a right is missing for one method (denied), it was asked wrongly (attention),
 * or it concerns one item alone.
 */
export type PortalVerdict = 'retry' | 'limit' | 'operating' | 'blocked' | 'denied' | 'attention' | 'item'

/** The portal answered with an error, or not at all. Neither message nor properties hold the webhook's address. */
export class PortalError extends Error {
  readonly code: string
  readonly method: string
  readonly verdict: PortalVerdict
  /** What is wrong with the method: a sentence of ours, or what the portal says itself. */
  readonly words: Message | string
  readonly reason: Message
  /** When to ask again, where that is known. */
  readonly until: Date | undefined
  /** Whether the request may have been carried out all the same: its answer is missing. */
  readonly mayHaveWorked: boolean
  constructor(failure: {
    code: string
    method: string
    words: Message | string
    until?: Date
    mayHaveWorked?: boolean
  }) {
    const reason = portalMessages.fault({ method: failure.method, words: failure.words })
    super(reason.text)
    this.reason = reason
    this.words = failure.words
    this.code = failure.code
    this.method = failure.method
    this.verdict = verdictOnCode(failure.code, String(failure.words))
    this.until = failure.until
    this.mayHaveWorked = failure.mayHaveWorked ?? false
  }
}

/** The automation is not on, or another portal is configured: nothing was asked. */
export class CrmNotOn extends Error {
  readonly reason: Message
  constructor(reason: Message) {
    super(reason.text)
    this.reason = reason
  }
}

const VERDICTS: Record<string, PortalVerdict> = {
  QUERY_LIMIT_EXCEEDED: 'limit',
  OPERATION_TIME_LIMIT: 'operating',
  OVERLOAD_LIMIT: 'blocked',
  NO_AUTH_FOUND: 'blocked',
  INVALID_CREDENTIALS: 'blocked',
  EXPIRED_TOKEN: 'blocked',
  INVALID_TOKEN: 'blocked',
  INSUFFICIENT_SCOPE: 'blocked',
  PAYMENT_REQUIRED: 'blocked',
  PORTAL_DELETED: 'blocked',
  ERROR_METHOD_NOT_FOUND: 'attention',
  INVALID_ARG_VALUE: 'attention',
  INVALID_REQUEST: 'attention',
  ERROR_BATCH_LENGTH_EXCEEDED: 'attention',
  ERROR_BATCH_METHOD_NOT_ALLOWED: 'attention',
  NOT_FOUND: 'item',
  OWNER_NOT_FOUND: 'item',
  '': 'item',
  '0': 'item',
}

/** By the code, never by the status: the same code comes with different ones. */
function verdictOnCode(code: string, words: string): PortalVerdict {
  const upper = code.toUpperCase()
  if (upper === 'ACCESS_DENIED') return /commercial plan/i.test(words) ? 'blocked' : 'denied'
  return VERDICTS[upper] ?? 'retry'
}

/** Codes of ours, for what is no answer of the REST interface. */
export const NO_ANSWER = 'NO_ANSWER'
export const NO_JSON = 'NO_JSON'
/** Asking again gets the same, until somebody changes what the portal has. */
export const TOO_LARGE = 'ANSWER_TOO_LARGE'

/** Whether the failure is of the portal, not of one webhook. */
export const isOfPortal = ({ code }: PortalError): boolean =>
  ['OVERLOAD_LIMIT', 'PORTAL_DELETED', 'ACCESS_DENIED'].includes(code.toUpperCase())
