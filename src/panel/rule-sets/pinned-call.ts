import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'

/** The cookie that stores the call on which a person tests rules. */
const PINNED_CALL_COOKIE = 'panel_tried_call'
const PIN_SECONDS = 30 * 86_400
const UUID_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** Returns the first UUID in a text, such as the address of a page. */
export const extractUuid = (text: string): string | undefined => UUID_PATTERN.exec(text)?.[0]

/** Returns the id of the pinned call, including one that this request has pinned. */
export const getPinnedCallId = ({ ctx }: PageContext): string | undefined =>
  (ctx.state.pinnedCall as string | undefined) ??
  extractUuid(ctx.cookies.get(PINNED_CALL_COOKIE, { signed: false }) ?? '')

/** Pins a call for 30 days. @param address call id or address of its page; other text unpins the call */
export function setPinnedCall({ ctx }: PageContext, address: string): void {
  const id = extractUuid(address) ?? ''
  const cookieOptions = { path: '/rule-sets', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const
  ctx.cookies.set(PINNED_CALL_COOKIE, id, { ...cookieOptions, maxAge: id ? PIN_SECONDS * 1000 : 0 })
  ctx.state.pinnedCall = id || undefined
}

/** Fetches the pinned call. Returns undefined if none is pinned, or if it is deleted or not visible. */
export async function fetchPinnedCall(context: PageContext): Promise<RecordingJson | undefined> {
  const id = getPinnedCallId(context)
  return id === undefined
    ? undefined
    : context.api.fetch<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreUnavailableCall)
}

/** Returns undefined for an ApiError 404 or 409: the call is deleted, not visible or not transcribed. @throws other errors */
export function ignoreUnavailableCall(error: unknown): undefined {
  if (error instanceof ApiError && [404, 409].includes(error.status)) return undefined
  throw error
}
