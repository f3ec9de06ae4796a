import { ApiError } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { formatPathWithQuery, parsePostedForm, type FormValues } from '../frame/fields.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { renderRecordingPage } from '../recording/render.ts'
import { buildAssignmentRow, fetchAssignments } from './view.ts'
import { assignmentWords } from './words.ts'

export const assignmentsPage: Page<'assignments', typeof assignmentWords> = {
  name: 'assignments',
  words: assignmentWords,
  menu: { href: '/assignments', title: assignmentWords.title, group: 'own' },
  styles: ['assignments'],
  scripts: ['assignments'],
  routes: [
    { method: 'get', path: '/assignments', handle: showAssignments },
    { method: 'post', path: '/recordings/:id/assignments', handle: assignCall },
    { method: 'post', path: '/assignments/:id/heard', handle: markHeard },
    { method: 'post', path: '/assignments/:id/withdraw', handle: withdraw },
  ],
}

const PAGE_SIZE = 25

async function showAssignments(context: PageContext): Promise<void> {
  const { ctx, person, language } = context
  const t = language.words.assignments
  const page = parsePageNumber(ctx.query.page)
  const canAssign = isOwnerOrHead(person)
  const by = canAssign && ctx.query.by !== 'others' ? 'me' : 'others'
  const formatHref = (by: 'others' | 'me', page = 1) =>
    formatPathWithQuery('/assignments', {
      by: by === 'others' && canAssign ? by : '',
      page: page > 1 ? String(page) : '',
    })
  const { items, total } = await fetchAssignments(context, by, { page: String(page), pageSize: String(PAGE_SIZE) })
  await renderPage(context, 'assignments/index', {
    title: t.title,
    scripts: ['tracks.js', 'assignments.js'],
    tabs: canAssign
      ? [
          { text: t.byMe, href: formatHref('me'), current: by === 'me' },
          { text: t.toHear, href: formatHref('others'), current: by === 'others' },
        ]
      : [],
    empty: by === 'me' ? t.emptyByMe : t.emptyToHear,
    rows: items.map((item) => buildAssignmentRow(item, by, context)),
    paging: total > PAGE_SIZE || page > 1 ? buildPaging(page, PAGE_SIZE, total, (to) => formatHref(by, to)) : null,
  })
}

/** Assigns a call. An error is shown on the page that sent the form. */
async function assignCall(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const { id } = ctx.params as { id: string }
  const fields = await parsePostedForm(ctx)
  const next = parseLocalPath(fields.raw('next'))
  try {
    const { body } = await api.send<{ person: { name: string } }>(
      'POST',
      '/v1/assignments',
      parseAssignment(id, fields),
    )
    redirect(ctx, next, language.words.assignments.done(body.person.name))
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
    const message = error.messages.map(({ text }) => text).join(' ')
    if (!next.startsWith(`/recordings/${id}`)) return redirect(ctx, next, message)
    ctx.status = error.status
    await renderRecordingPage(context, { error: () => message })
  }
}

const parseAssignment = (recordingId: string, fields: FormValues) => ({
  recordingId,
  reason: fields.text('reason'),
  ...(fields.has('at') && { at: Number(fields.text('at')) }),
  ...fields.collectFilled('ruleKey'),
})

async function markHeard({ ctx, api }: PageContext): Promise<void> {
  const fields = await parsePostedForm(ctx)
  await api.send('POST', `/v1/assignments/${encodeURIComponent(String(ctx.params.id))}/acknowledge`)
  redirect(ctx, parseLocalPath(fields.raw('next')))
}

async function withdraw({ ctx, api, language }: PageContext): Promise<void> {
  const fields = await parsePostedForm(ctx)
  await api.send('DELETE', `/v1/assignments/${encodeURIComponent(String(ctx.params.id))}`)
  redirect(ctx, parseLocalPath(fields.raw('next')), language.words.assignments.withdrawn)
}
