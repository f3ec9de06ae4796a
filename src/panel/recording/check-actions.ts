import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { setAutomaticChecking } from '../analysis/page.ts'
import { ApiError, returnApiError } from '../frame/api-client.ts'
import { parseForm } from '../frame/fields.ts'
import { createFormWithErrors } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isRefresh, renderParts, redirect, type PageContext, type Route } from '../frame/context.ts'
import { renderRecording } from './render.ts'
import { formatRecordingApiPath } from './query.ts'
import { findListQuery, formatCallHref } from './list-navigation.ts'
import { fetchCheck } from './fetch.ts'
import { buildCheckPart } from './view.ts'

/** Routes that refresh a check, run it again, and review or dispute its verdicts. */
export const checkRoutes: Route[] = [
  { method: 'get', path: '/recordings/:id/check', handle: showCheck },
  { method: 'post', path: '/recordings/:id/check', handle: rerunCheck },
  {
    method: 'post',
    path: '/recordings/:id/check/automatic',
    handle: (context) => setAutomaticChecking(context, true, formatCallHref(context.ctx)),
  },
  { method: 'post', path: '/recordings/:id/findings/:finding', handle: (context) => submitReview(context, 'judge') },
  {
    method: 'post',
    path: '/recordings/:id/findings/:finding/dispute',
    handle: (context) => submitReview(context, 'dispute'),
  },
]

/** Renders only the check. It refreshes while the check is queued or running, then the browser reloads the whole page. */
async function showCheck(context: PageContext): Promise<void> {
  const { ctx, api } = context
  if (!isRefresh(ctx)) return redirect(ctx, `/recordings/${ctx.params.id}`)
  const { person } = context
  const [recording, analysis] = await Promise.all([
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    fetchCheck(context, null),
  ])
  const list = findListQuery(ctx)
  const { SCORE_BANDS: bands } = context.panel.config
  const check = buildCheckPart(
    { recording, list, analysis, version: null, judging: null, bands },
    person,
    context.language,
  )
  const href = `/recordings/${recording.id}`
  const { search } = ctx
  await renderParts(context, ['recording/_check'], {
    call: { id: recording.id, href, self: href + search, kept: search, check },
    ended: !check?.pending,
  })
}

const REVIEW_REQUESTS = {
  judge: { method: 'PATCH', names: ['verdict', 'comment'], path: '', said: 'judged' },
  dispute: { method: 'POST', names: ['comment'], path: '/dispute', said: 'disputed' },
} as const

/** Sends a review (`judge`) or a dispute of a verdict. */
async function submitReview(context: PageContext, verb: 'judge' | 'dispute'): Promise<void> {
  const { ctx, api } = context
  const finding = String(ctx.params.finding)
  const fields = await parseForm(ctx)
  const { method, names, path, said: noticeName } = REVIEW_REQUESTS[verb]
  const body = Object.fromEntries(names.map((name) => [name, fields.text(name)]))
  try {
    await api.send(
      method,
      `${formatRecordingApiPath(context)}/analysis/findings/${encodeURIComponent(finding)}${path}`,
      body,
    )
  } catch (error) {
    if (isOutdatedCheck(error)) return renderConflict(context, (words) => words.recording.check.outdated)
    const form = createFormWithErrors(error, fields, [...names], context.language)
    ctx.status = (error as ApiError).status
    return renderRecording(context, { judging: { finding, form } })
  }
  redirect(ctx, formatCallHref(ctx), context.language.words.recording.check[noticeName])
}

/** Returns true if a newer check has replaced this one, or if the transcript was deleted. */
const isOutdatedCheck = (error: unknown): boolean => error instanceof ApiError && [404, 409].includes(error.status)

async function rerunCheck(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const response = await api
    .send('POST', `${formatRecordingApiPath(context)}/analysis/rerun`)
    .catch(returnApiError(409))
  if (response instanceof ApiError) return renderConflict(context, () => response.messages[0]!.text)
  redirect(ctx, formatCallHref(ctx))
}

async function renderConflict(context: PageContext, error: (words: Language['words']) => string): Promise<void> {
  context.ctx.status = 409
  await renderRecording(context, { error })
}
