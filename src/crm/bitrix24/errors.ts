import type { Message } from '../../platform/lib/messages.ts'
import { portalMessages } from './messages.ts'

/**
 * The consequence of an error. retry: retry later. limit: pause all requests. operating: the method is closed for a while.
 * blocked: the portal rejects our credentials. denied: a right is missing for one method. attention: the request is wrong.
 * item: it concerns one item.
 */
export type PortalVerdict = 'retry' | 'limit' | 'operating' | 'blocked' | 'denied' | 'attention' | 'item'

/** The portal cannot be reached, or its response is invalid. The reason contains no secret. */
export abstract class PortalFailure extends Error {
  readonly reason: Message
  constructor(reason: Message) {
    super(reason.text)
    this.reason = reason
  }
}

/** The portal responded with an error, or not at all. */
export class PortalError extends PortalFailure {
  readonly code: string
  readonly method: string
  readonly verdict: PortalVerdict
  /** A sentence of ours, or the portal's own text. */
  readonly words: Message | string
  /** The time of the next try, if the portal gave one. */
  readonly until: Date | undefined
  constructor({ code, method, words, until }: { code: string; method: string; words: Message | string; until?: Date }) {
    super(portalMessages.fault({ method, words }))
    this.words = words
    this.code = code
    this.method = method
    this.verdict = classifyCode(code, String(words))
    this.until = until
  }
}

/** The automation is not on, or another portal is configured: no request was sent. */
export class AutomationOffError extends PortalFailure {}

const VERDICTS_BY_CODE: Record<string, PortalVerdict> = {
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

/** Decides by the code, because the same code comes with different HTTP statuses. */
function classifyCode(code: string, words: string): PortalVerdict {
  const upperCode = code.toUpperCase()
  if (upperCode === 'ACCESS_DENIED') return /commercial plan/i.test(words) ? 'blocked' : 'denied'
  return VERDICTS_BY_CODE[upperCode] ?? 'retry'
}

/** Our codes for responses that are not of the REST API. */
export const NO_RESPONSE = 'NO_ANSWER'
export const INVALID_JSON = 'NO_JSON'
/** A retry gets the same until somebody changes the data in the portal. */
export const RESPONSE_TOO_LARGE = 'ANSWER_TOO_LARGE'

/** Whether the whole portal is affected, not one webhook. */
export const isPortalWideError = ({ code }: PortalError): boolean =>
  ['OVERLOAD_LIMIT', 'PORTAL_DELETED', 'ACCESS_DENIED'].includes(code.toUpperCase())
