/**
 * A signal that is aborted after so many milliseconds, or with one of the others.
 *
 * AbortSignal.any() does not keep its sources alive. Node 20 collects an unreferenced AbortSignal.timeout() as garbage, and
 * the limit with it (https://github.com/nodejs/node/issues/57736). A listener keeps a signal until it has fired.
 */
export function withinLimit(milliseconds: number, ...others: AbortSignal[]): AbortSignal {
  const late = AbortSignal.timeout(milliseconds)
  late.addEventListener('abort', () => undefined)
  return AbortSignal.any([...others, late])
}
