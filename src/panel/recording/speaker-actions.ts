import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { isHtmxRequest, redirect, type PanelRoute, type PageContext } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { formatCallHref } from './list-navigation.ts'
import { formatRecordingApiPath, parseNumberParameter } from './query.ts'
import { renderRecordingPage } from './render.ts'

/** Corrections of who speaks, and the separation of the speakers. */
export const callSpeakerRoutes: PanelRoute[] = [
  { method: 'post', path: '/recordings/:id/speakers', handle: setAgent },
  { method: 'post', path: '/recordings/:id/phrases', handle: assignPhrase },
  { method: 'post', path: '/recordings/:id/separate', handle: separateSpeakers },
]

/** Sets the agent. The form sends the agent's channel, so sending the form twice does not swap back. */
async function setAgent(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  await api.send('PUT', `${formatRecordingApiPath(context)}/speakers`, {
    agentChannel: Number(fields.raw('agentChannel')),
  })
  redirect(ctx, formatCallHref(ctx))
}

/** Assigns a phrase to a speaker, then shows the part of the transcript with the phrase. */
async function assignPhrase(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const { start, end, speaker, row } = ctx.query
  const phrase = { start: Number(start), end: Number(end), speaker: Number(speaker) }
  const response = await api
    .send('PUT', `${formatRecordingApiPath(context)}/speakers`, { phrases: [phrase] })
    .catch(returnApiErrorWithStatus(409))
  if (response instanceof ApiError) return showConflict(context)
  const rowNumber = parseNumberParameter(row) ?? 0
  const href = formatCallHref(ctx)
  const address = `${href}${href.includes('?') ? '&' : '?'}row=${rowNumber}`
  // htmx keeps the scroll position, so only a full page load needs the anchor.
  redirect(ctx, isHtmxRequest(ctx) ? address : `${address}#row-${rowNumber}`)
}

async function separateSpeakers(context: PageContext): Promise<void> {
  const response = await context.api
    .send('POST', `${formatRecordingApiPath(context)}/speakers/separate`)
    .catch(returnApiErrorWithStatus(409))
  if (response instanceof ApiError) return showConflict(context)
  redirect(context.ctx, formatCallHref(context.ctx))
}

async function showConflict(context: PageContext): Promise<void> {
  context.ctx.status = 409
  await renderRecordingPage(context, { error: (words) => words.recording.conflict })
}
