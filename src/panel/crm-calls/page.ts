import type { CommentWritingJson } from '../../crm/comments/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { formatPauseReason } from '../frame/pause.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import { submitChange } from '../frame/submit.ts'
import type { Page } from '../frame/page.ts'
import { crmHistoryRoutes } from './history.ts'
import { crmCallWords } from './words.ts'

const PATH = '/automation/writing'

export const crmCallsPage: Page<'crmCalls', typeof crmCallWords> = {
  name: 'crmCalls',
  words: crmCallWords,
  routes: [
    ...crmHistoryRoutes,
    { method: 'get', path: PATH, handle: (context) => showWriting(context) },
    { method: 'post', path: `${PATH}/on`, handle: (context) => setWriting(context, true) },
    { method: 'post', path: `${PATH}/off`, handle: (context) => setWriting(context, false) },
  ],
}

interface Preview {
  dealId: string | null
  text: string
}

async function showWriting(context: PageContext, form?: FormState): Promise<void> {
  const recordingQuery = String(context.ctx.query.recording ?? '').trim()
  const [writing, preview] = await Promise.all([
    context.api.fetch<CommentWritingJson>('/v1/crm/writing'),
    recordingQuery ? fetchPreview(context, recordingQuery) : undefined,
  ])
  const { words, format } = context.language
  const t = words.crmCalls.writing
  await renderPage(context, 'crm-calls/writing', {
    title: t.title,
    form: form ?? createFormState(FormValues.of({ recording: recordingQuery })),
    writing,
    badge: { kind: writing.on ? 'done' : '', text: writing.on ? t.state.on : t.state.off },
    counts: (['sent', 'waiting', 'failed'] as const).map((name) => ({
      name: t.counts[name],
      value: format.number(writing[name]),
    })),
    refusal: buildRefusal(writing, context.language),
    preview,
    isMissing: recordingQuery !== '' && preview === undefined,
  })
}

function buildRefusal({ on, reason, reasonCode, pause }: CommentWritingJson, language: Language) {
  if (!on || reason === null) return null
  const { refused, refusedAdvice } = language.words.crmCalls.writing
  return {
    advice: `${refused} ${refusedAdvice[reasonCode?.toUpperCase() ?? ''] ?? refusedAdvice.other!}`,
    said: pause ? formatPauseReason(pause, language) : reason,
  }
}

/** Fetches the preview of a call by its id or an address with the id; undefined without an id or a known call. */
async function fetchPreview({ api }: PageContext, recordingQuery: string): Promise<Preview | undefined> {
  const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(recordingQuery) ?? []
  if (!id) return undefined
  try {
    return await api.fetch<Preview>(`/v1/crm/writing/preview?recordingId=${id}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

const setWriting = (context: PageContext, on: boolean): Promise<void> =>
  submitChange(context, () => context.api.send('PUT', '/v1/crm/writing', { on }), {
    to: PATH,
    notice: () => context.language.words.crmCalls.writing.notices[on ? 'on' : 'off'],
    show: (form) => showWriting(context, form),
  })
