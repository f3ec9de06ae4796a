import type { Message } from '../../platform/lib/messages.ts'
import { portalMessages } from './messages.ts'

/**
 * The consequence of a portal error. `retry`: try again later. `limit`: pause all requests.
 * `operating`: the portal closed the method for a while. `blocked`: the portal rejects the webhook or all requests.
 * `denied`: a right for the method is missing. `attention`: the request is wrong. `item`: the error concerns one item.
 */
export type PortalErrorVerdict = 'retry' | 'limit' | 'operating' | 'blocked' | 'denied' | 'attention' | 'item'

/** The base of portal errors: no request could be sent, or it failed. The reason contains no secret. */
export abstract class PortalFailure extends Error {
  readonly reason: Message
  constructor(reason: Message) {
    super(reason.text)
    this.reason = reason
  }
}

/**
 * The portal returned an error, an invalid response or no response, or closed a method. The error code, and for ACCESS_DENIED
 * also the text, determine the verdict.
 */
export class PortalError extends PortalFailure {
  readonly code: string
  readonly method: string
  readonly verdict: PortalErrorVerdict
  /** Our own message, or the text of the portal. */
  readonly words: Message | string
  /** When to retry, if the portal closed the method. */
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

/** No request was sent, because the automation is not on, belongs to another portal, or does not write comments. */
export class CrmAutomationOffError extends PortalFailure {}

const VERDICTS_BY_CODE: Record<string, PortalErrorVerdict> = {
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

/** Ignores the HTTP status, because the portal sends the same code with different statuses. */
function classifyCode(code: string, words: string): PortalErrorVerdict {
  const upperCode = code.toUpperCase()
  if (upperCode === 'ACCESS_DENIED') return /commercial plan/i.test(words) ? 'blocked' : 'denied'
  return VERDICTS_BY_CODE[upperCode] ?? 'retry'
}

/** Our own error codes for missing and invalid responses. Stored rows contain their values. */
export const PORTAL_NO_RESPONSE_CODE = 'NO_ANSWER'
export const PORTAL_INVALID_JSON_CODE = 'NO_JSON'
/** A retry gives the same response until a person changes the data in the portal. */
export const PORTAL_RESPONSE_TOO_LARGE_CODE = 'ANSWER_TOO_LARGE'

/** Returns true if an error with the verdict `blocked` affects all webhooks of the portal, not only one. */
export const isPortalWideBlock = ({ code }: PortalError): boolean =>
  ['OVERLOAD_LIMIT', 'PORTAL_DELETED', 'ACCESS_DENIED'].includes(code.toUpperCase())
