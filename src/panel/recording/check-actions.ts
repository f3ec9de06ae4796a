import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { setAutomaticChecking } from '../analysis/page.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isPartialRefresh, renderPageParts, redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { renderRecordingPage } from './render.ts'
import { formatRecordingApiPath } from './query.ts'
import { findOriginListQuery, formatCallHref } from './list-navigation.ts'
import { fetchCallCheck } from './fetch.ts'
import { buildCallCheckPart } from './view.ts'

/** Routes that refresh a check, run it again, and review or dispute its verdicts. */
export const callCheckRoutes: PanelRoute[] = [
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

/** Renders only the check. The page polls it while the check is queued or running, then refreshes all live parts. */
async function showCheck(context: PageContext): Promise<void> {
  const { ctx, api } = context
  if (!isPartialRefresh(ctx)) return redirect(ctx, `/recordings/${ctx.params.id}`)
  const { person } = context
  const [recording, analysis] = await Promise.all([
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    fetchCallCheck(context, null),
  ])
  const list = findOriginListQuery(ctx)
  const { SCORE_BANDS: bands } = context.panel.config
  const check = buildCallCheckPart(
    { recording, list, analysis, version: null, judging: null, bands },
    person,
    context.language,
  )
  const href = `/recordings/${recording.id}`
  const { search } = ctx
  await renderPageParts(context, ['recording/_check'], {
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
  const fields = await parsePostedForm(ctx)
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
    return renderRecordingPage(context, { judging: { finding, form } })
  }
  redirect(ctx, formatCallHref(ctx), context.language.words.recording.check[noticeName])
}

/** Returns true if the API no longer has the finding (404) or it has changed meanwhile (409). */
const isOutdatedCheck = (error: unknown): boolean => error instanceof ApiError && [404, 409].includes(error.status)

async function rerunCheck(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const response = await api
    .send('POST', `${formatRecordingApiPath(context)}/analysis/rerun`)
    .catch(returnApiErrorWithStatus(409))
  if (response instanceof ApiError) return renderConflict(context, () => response.messages[0]!.text)
  redirect(ctx, formatCallHref(ctx))
}

async function renderConflict(context: PageContext, error: (words: Language['words']) => string): Promise<void> {
  context.ctx.status = 409
  await renderRecordingPage(context, { error })
}
