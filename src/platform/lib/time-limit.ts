/**
 * A signal that is aborted after so many milliseconds, or with one of the others.
 *
 * AbortSignal.any() alone does not keep the signals that it was made of: in Node 20 one of AbortSignal.timeout() that nobody
 * else holds is collected as garbage, and the limit with it (https://github.com/nodejs/node/issues/57736). A signal that is
 * listened to is kept until it has fired.
 */
export function withinLimit(milliseconds: number, ...others: AbortSignal[]): AbortSignal {
  const late = AbortSignal.timeout(milliseconds)
  late.addEventListener('abort', () => undefined)
  return AbortSignal.any([...others, late])
}
