import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { switchAutomatic } from '../analysis/page.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isRefresh, renderParts, redirect, type PageContext, type Route } from '../frame/context.ts'
import { answerRecording } from './answer.ts'
import { apiPath } from './query.ts'
import { listOf, pageOfCall } from './list.ts'
import { readCheck } from './read.ts'
import { checkPart } from './view.ts'

/** The reviews of a call's check, and its part of the page. */
export const judgingRoutes: Route[] = [
  { method: 'get', path: '/recordings/:id/check', handle: showCheck },
  { method: 'post', path: '/recordings/:id/check', handle: rerun },
  {
    method: 'post',
    path: '/recordings/:id/check/automatic',
    handle: (context) => switchAutomatic(context, true, pageOfCall(context.ctx)),
  },
  { method: 'post', path: '/recordings/:id/findings/:finding', handle: (context) => say(context, 'judge') },
  { method: 'post', path: '/recordings/:id/findings/:finding/dispute', handle: (context) => say(context, 'dispute') },
]

/** The check alone: it refreshes while queued or running, then the whole page is loaded once. */
async function showCheck(context: PageContext): Promise<void> {
  const { ctx, api } = context
  if (!isRefresh(ctx)) return redirect(ctx, `/recordings/${ctx.params.id}`)
  const { person } = context
  const [recording, analysis] = await Promise.all([api.read<RecordingJson>(apiPath(context)), readCheck(context, null)])
  const list = listOf(ctx)
  const check = checkPart({ recording, list, analysis, version: null, judging: null }, person, context.language)
  const href = `/recordings/${recording.id}`
  const { search } = ctx
  await renderParts(context, ['recording/_check'], {
    call: { id: recording.id, href, self: href + search, kept: search, check },
    ended: !check?.pending,
  })
}

const SAID = {
  judge: { method: 'PATCH', names: ['verdict', 'comment'], path: '', said: 'judged' },
  dispute: { method: 'POST', names: ['comment'], path: '/dispute', said: 'disputed' },
} as const

/** Confirms, overturns or disputes a verdict. */
async function say(context: PageContext, verb: 'judge' | 'dispute'): Promise<void> {
  const { ctx, api } = context
  const finding = String(ctx.params.finding)
  const fields = await readFields(ctx)
  const { method, names, path, said } = SAID[verb]
  const body = Object.fromEntries(names.map((name) => [name, fields.text(name)]))
  try {
    await api.send(method, `${apiPath(context)}/analysis/findings/${encodeURIComponent(finding)}${path}`, body)
  } catch (error) {
    if (isOutdated(error)) return refuse(context, (words) => words.recording.check.outdated)
    const form = formWithErrors(error, fields, [...names], context.language)
    ctx.status = (error as ApiError).status
    return answerRecording(context, { judging: { finding, form } })
  }
  redirect(ctx, pageOfCall(ctx), context.language.words.recording.check[said])
}

/** A check that another has replaced, or a finding of a deleted transcript. */
const isOutdated = (error: unknown): boolean => error instanceof ApiError && [404, 409].includes(error.status)

async function rerun(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const answer = await api.send('POST', `${apiPath(context)}/analysis/rerun`).catch(refusal(409))
  if (answer instanceof ApiError) return refuse(context, () => answer.messages[0]!.text)
  redirect(ctx, pageOfCall(ctx))
}

async function refuse(context: PageContext, error: (words: Language['words']) => string): Promise<void> {
  context.ctx.status = 409
  await answerRecording(context, { error })
}
