import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { CommentJson } from '../../work/comments/schema.ts'
import { isPartialRefresh, redirect, renderPageParts, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { parsePostedForm } from '../frame/fields.ts'
import type { Page } from '../frame/page.ts'
import { formatRecordingApiPath } from '../recording/query.ts'
import { renderRecordingPage } from '../recording/render.ts'
import { areSpeakersKnown } from '../recording/speakers.ts'
import { groupRowsIntoTurns } from '../recording/turns.ts'
import { fetchCommentForm, saveComment } from './form.ts'
import { findTurnRow, groupIntoThreads } from './threads.ts'
import {
  buildCallComments,
  fetchComments,
  formatCommentHref,
  formatShownCommentHref,
  type CommentedCall,
} from './view.ts'
import { commentWords } from './words.ts'

/** The comments on the page of a call. With scripts, each route returns only parts of that page. */
export const commentsPage: Page<'comments', typeof commentWords> = {
  name: 'comments',
  words: commentWords,
  routes: [
    { method: 'get', path: '/recordings/:id/comment-form', handle: showForm },
    { method: 'get', path: '/recordings/:id/comments', handle: showList },
    { method: 'get', path: '/recordings/:id/comments/:comment', handle: showThread },
    { method: 'post', path: '/recordings/:id/comments', handle: save },
    { method: 'post', path: '/recordings/:id/comments/:comment/delete', handle: deleteComment },
  ],
  styles: ['comments'],
  scripts: ['comments'],
}

async function showForm(context: PageContext): Promise<void> {
  const { ctx } = context
  if (!isPartialRefresh(ctx)) return redirect(ctx, `/recordings/${ctx.params.id}${ctx.search}#comment-form`)
  const commentForm = await fetchCommentForm(context)
  if (!commentForm) throw new PageError(404)
  await renderPageParts(context, ['comments/_form'], { commentForm })
}

async function showList(context: PageContext): Promise<void> {
  if (!isPartialRefresh(context.ctx))
    return redirect(context.ctx, `${formatCommentHref(context, '', { comments: 'all' })}#comment-list`)
  const comments = buildCallComments(await fetchCommentedCall(context), context, { isListWhole: true })
  await renderPageParts(context, ['comments/_list'], { comments })
}

async function showThread(context: PageContext): Promise<void> {
  const shownId = String(context.ctx.params.comment)
  if (!isPartialRefresh(context.ctx)) return redirect(context.ctx, formatShownCommentHref(context, shownId))
  const call = await fetchCommentedCall(context)
  const thread = groupIntoThreads(call.comments).find(({ id }) => id === shownId)
  if (!thread) throw new PageError(404)
  await renderTurnComments(context, call, thread, [])
}

async function save(context: PageContext): Promise<void> {
  const { ctx } = context
  const result = await saveComment(context, await parsePostedForm(ctx))
  if ('form' in result) return renderRejectedForm(context, result)
  const { comment } = result
  if (!isPartialRefresh(ctx))
    return redirect(ctx, formatShownCommentHref(context, comment.id), context.language.words.comments.saved)
  const call = await fetchCommentedCall(context)
  const thread = { id: comment.id, at: findThreadMoment(call.comments, comment) }
  await renderTurnComments(context, call, thread, ['comments/_form', 'comments/_list', 'comments/_dots'])
}

async function renderRejectedForm(
  context: PageContext,
  { form, status }: Extract<Awaited<ReturnType<typeof saveComment>>, { status: number }>,
): Promise<void> {
  context.ctx.status = status
  const commentForm = await fetchCommentForm(context, form)
  if (isPartialRefresh(context.ctx)) {
    // If the comment was deleted meanwhile, its form stays open with the text.
    const part = commentForm ? 'comments/_form' : 'comments/_not-saved'
    return renderPageParts(context, [part], { commentForm, text: form.error, isOob: true })
  }
  await renderRecordingPage(context, { commentForm: form, ...(commentForm ? {} : { error: () => form.error! }) })
}

async function deleteComment(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const id = String(ctx.params.comment)
  const before = await fetchComments(context)
  const comment = before.find((one) => one.id === id)
  await api.send('DELETE', `${formatRecordingApiPath(context)}/comments/${encodeURIComponent(id)}`)
  if (!isPartialRefresh(ctx) || !comment)
    return redirect(ctx, formatCommentHref(context, '', {}), language.words.comments.wasDeleted)
  const at = findThreadMoment(before, comment)
  await renderTurnComments(context, await fetchCommentedCall(context), { at }, ['comments/_list', 'comments/_dots'])
}

const findThreadMoment = (comments: CommentJson[], { replyTo, at }: CommentJson): number =>
  comments.find(({ id }) => id === replyTo)?.at ?? at

async function fetchCommentedCall(context: PageContext): Promise<CommentedCall> {
  const [recording, comments] = await Promise.all([
    context.api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    fetchComments(context),
  ])
  const turns = groupRowsIntoTurns(recording.transcript?.segments ?? [], areSpeakersKnown(recording))
  return { recording, comments, turns }
}

/** Renders the comments of the turn that contains the moment `at`, and further parts. Marks the comment `id`. */
async function renderTurnComments(
  context: PageContext,
  call: CommentedCall,
  { id, at }: { id?: string; at: number },
  parts: string[],
): Promise<void> {
  const row = findTurnRow(call.recording.transcript?.segments ?? [], call.turns, at)
  const comments = buildCallComments(call, context, { shownId: id, rows: { from: row, to: row + 1 } })
  const saved = { id, row }
  await renderPageParts(context, ['comments/_threads', ...parts], {
    comments,
    row,
    saved,
    commentForm: null,
    isOob: true,
  })
}
