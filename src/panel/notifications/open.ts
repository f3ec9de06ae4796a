import type { Context } from 'koa'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import { redirect, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { isCrossOriginRequest } from '../frame/origin.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'

/** Marks a notification as read if a person opens it, and redirects to the place that its query names. */
export async function openNotification(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const { id } = ctx.params as { id: string }
  if (!isUuid(id)) throw new PageError(404)
  // An owner who views the panel as another person changes nothing.
  if (isOpenedByPerson(ctx))
    await api.send('POST', '/v1/notifications/read', { notificationIds: [id] }).catch(ignoreApiRejection)
  redirect(ctx, await findPlace(context))
}

/** Browsers send these headers only if they load a page before the person opens it. */
const PREFETCH_HEADERS = ['Sec-Purpose', 'Purpose', 'X-Moz']

/** Returns false for a prefetch, a HEAD request, and a request from another site. */
const isOpenedByPerson = (ctx: Context): boolean =>
  ctx.method === 'GET' && !isCrossOriginRequest(ctx) && PREFETCH_HEADERS.every((name) => ctx.get(name) === '')

async function findPlace(context: PageContext): Promise<string> {
  const { query } = context.ctx
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  const recording = text('recording')
  if (!isUuid(recording)) return formatPathWithQuery('/analytics/weekly', { week: text('week') })
  if (isUuid(text('comment'))) return `/recordings/${recording}?comment=${text('comment')}`
  if (text('rule')) return findFinding(context, recording, text('rule'), text('decide') === 'true')
  const from = Number(text('from'))
  return from > 0 ? buildMomentHref(context, recording, from) : `/recordings/${recording}`
}

const buildMomentHref = (context: PageContext, recording: string, hearFrom: number): string =>
  buildPlaybackLinks(recording, { hearFrom, hasAudio: true }, context).href

/** Finds the rule in the current check of the call. @param isToDecide whether to open the form that decides the verdict */
async function findFinding(
  { api }: PageContext,
  recording: string,
  rule: string,
  isToDecide: boolean,
): Promise<string> {
  const call = `/recordings/${recording}`
  const analysis = await api.fetch<AnalysisJson>(`/v1${call}/analysis`).catch(ignoreApiRejection)
  const finding = analysis?.findings.find(({ rule: { key } }) => key === rule)
  if (!finding) return call
  const start = finding.evidence[0]?.start
  const query = { t: start ? String(Math.round(start * 10) / 10) : '', judge: isToDecide ? finding.id : '' }
  return `${formatPathWithQuery(call, query)}#finding-${finding.id}`
}
