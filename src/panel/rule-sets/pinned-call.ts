import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'

/** The call beside the draft during editing, stored in a cookie. */
const PINNED_CALL_COOKIE = 'panel_tried_call'
const PIN_SECONDS = 30 * 86_400
const UUID_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

export const findUuid = (text: string): string | undefined => UUID_PATTERN.exec(text)?.[0]

/** The id of the pinned call, also if this request has pinned it. */
export const getPinnedId = ({ ctx }: PageContext): string | undefined =>
  (ctx.state.pinnedCall as string | undefined) ?? findUuid(ctx.cookies.get(PINNED_CALL_COOKIE, { signed: false }) ?? '')

/** Pins the call of an id or an address. */
export function setPinnedCall({ ctx }: PageContext, address: string): void {
  const id = findUuid(address) ?? ''
  const cookieOptions = { path: '/rule-sets', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const
  ctx.cookies.set(PINNED_CALL_COOKIE, id, { ...cookieOptions, maxAge: id ? PIN_SECONDS * 1000 : 0 })
  ctx.state.pinnedCall = id || undefined
}

/** The pinned call, if the person still sees it; the page works without it. */
export async function fetchPinnedCall(context: PageContext): Promise<RecordingJson | undefined> {
  const id = getPinnedId(context)
  return id === undefined ? undefined : context.api.fetch<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreMissing)
}

/** Treat a call as missing if it is deleted, has no text or is not visible any more. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof ApiError && [404, 409].includes(error.status)) return undefined
  throw error
}
