/**
 * Creates a signal that aborts after this many milliseconds, or with one of the others.
 * AbortSignal.any() does not keep its sources alive. Node 20 collects an unreferenced AbortSignal.timeout() as garbage, and the
 * timeout with it (https://github.com/nodejs/node/issues/57736). A listener keeps the signal until it has fired.
 */
export function createTimeoutSignal(milliseconds: number, ...others: AbortSignal[]): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds)
  timeout.addEventListener('abort', () => undefined)
  return AbortSignal.any([...others, timeout])
}
