import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { CommentJson } from '../../work/comments/schema.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { findOriginListQuery } from '../recording/list-navigation.ts'
import { formatRecordingApiPath } from '../recording/query.ts'
import { rangeContainsRow, type TranscriptRowRange } from '../recording/turns.ts'
import { canListen, formatCallPageQuery } from '../recording/view.ts'
import { findFoldedThreads, findTurnRow, groupIntoThreads, placeDots, splitAtMentions } from './threads.ts'
import type { CommentThread } from './threads.ts'

/** A call with its comments. `turns` are those of its whole transcript. */
export interface CommentedCall {
  recording: RecordingJson
  comments: CommentJson[]
  turns: TranscriptRowRange[]
}

/** Fetches the comments on the call of the page. */
export async function fetchComments(context: PageContext): Promise<CommentJson[]> {
  const path = `${formatRecordingApiPath(context)}/comments`
  const response = await context.api.fetch<{ items: CommentJson[] }>(path).catch(ignoreApiRejection)
  return response?.items ?? []
}

const KEPT_PARAMETERS = ['q', 'side', 'version', 'set']

/** Formats an address below the page of the call that keeps the search, the version of the check and the list. */
export function formatCommentHref({ ctx }: PageContext, path: string, parameters: Record<string, string>): string {
  const kept = KEPT_PARAMETERS.map((name) => [name, typeof ctx.query[name] === 'string' ? ctx.query[name] : null])
  const query = { ...Object.fromEntries(kept), list: findOriginListQuery(ctx), ...parameters }
  return `/recordings/${ctx.params.id}${path}${formatCallPageQuery(query)}`
}

/** Formats the address that shows a comment in the transcript. */
export const formatShownCommentHref = (context: PageContext, id: string): string =>
  `${formatCommentHref(context, '', { comment: id })}#comment-${id}`

/** More comments than these are listed only on request. */
const LISTED_THREADS = 10
const LISTED_CHARACTERS = 80

/**
 * Builds the comments of a call: those of some rows, the list of all threads, and the dots on the waveform. @param shownId the
 * comment to mark @param rows the rows of the transcript to show
 */
export function buildCallComments(
  { recording, comments, turns }: CommentedCall,
  context: PageContext,
  { shownId, rows, isListWhole = false }: { shownId?: string; rows?: TranscriptRowRange; isListWhole?: boolean } = {},
) {
  const { words, format } = context.language
  const t = words.comments
  const segments = recording.transcript?.segments ?? []
  const threads = groupIntoThreads(comments)
  const threadRows = new Map(threads.map((thread) => [thread, findTurnRow(segments, turns, thread.at)]))
  const buildLink = (thread: CommentThread) => ({
    id: thread.id,
    href: formatShownCommentHref(context, thread.id),
    row: threadRows.get(thread)!,
    at: thread.at,
    time: format.length(thread.at),
    name: thread.comments[0]!.person.name,
  })
  const dots = recording.durationSeconds ? placeDots(threads, recording.durationSeconds) : []
  const listed = isListWhole ? threads : threads.slice(0, LISTED_THREADS)
  const written = comments.filter(({ isDeleted }) => !isDeleted)
  return {
    title: t.count(written.length, format.number(written.length)),
    isEmpty: comments.length === 0,
    writeHref: `${formatCommentHref(context, '', { write: '0' })}#comment-form`,
    list: listed.map((thread) => ({ ...buildLink(thread), ...summarize(thread, context) })),
    allHref: listed.length < threads.length ? formatCommentHref(context, '/comments', {}) : null,
    dots: dots.map((dot) => {
      const link = buildLink(dot.threads[0]!)
      const count = dot.threads.reduce((sum, thread) => sum + thread.comments.length, 0)
      const label = count === 1 ? t.dot(link.time, link.name) : t.dots(count, link.time, format.number(count))
      return { ...link, x: dot.x, label }
    }),
    threads: buildThreads(
      threads.filter((thread) => !rows || rangeContainsRow(rows, threadRows.get(thread)!)),
      threadRows,
      recording,
      shownId,
      context,
    ),
  }
}

/** Shortens the first comment of a thread to one line. */
function summarize({ comments }: CommentThread, { language: { words, format } }: PageContext) {
  const [first, ...replies] = comments
  const line = first!.isDeleted ? words.comments.deleted : first!.text.replace(/\s+/g, ' ')
  return {
    text: line.length > LISTED_CHARACTERS ? `${line.slice(0, LISTED_CHARACTERS)}…` : line,
    replies: replies.length > 0 ? words.comments.replies(replies.length, format.number(replies.length)) : null,
  }
}

/** Builds threads by the first row of their turns. */
function buildThreads(
  threads: CommentThread[],
  threadRows: Map<CommentThread, number>,
  recording: RecordingJson,
  shownId: string | undefined,
  context: PageContext,
) {
  const shownThread = threads.find(({ comments }) => comments.some(({ id }) => id === shownId))
  const folded = findFoldedThreads(threads, shownThread?.id)
  const views = threads.map((thread) => ({
    row: threadRows.get(thread)!,
    ...buildThread(thread, recording, shownId, context),
    folded: folded.has(thread.id) ? summarize(thread, context) : null,
  }))
  const byRow = new Map<number, typeof views>()
  for (const view of views) byRow.set(view.row, [...(byRow.get(view.row) ?? []), view])
  return byRow
}

function buildThread(
  { id, at, comments }: CommentThread,
  recording: RecordingJson,
  shownId: string | undefined,
  context: PageContext,
) {
  const { words, format } = context.language
  const hasAudio = canListen(recording, context.person)
  const time = format.length(at)
  const playback = buildPlaybackLinks(recording.id, { hearFrom: at, hasAudio }, context)
  return {
    id,
    at,
    time,
    momentLabel: hasAudio ? words.recording.playFrom(time) : words.comments.goTo(time),
    href: formatCommentHref(context, `/comments/${id}`, {}),
    share: { href: playback.href.replace('?', `?comment=${id}&`), label: words.comments.copyLink(time) },
    replyHref: `${formatCommentHref(context, '', { reply: id })}#comment-form`,
    comments: comments.map((comment) => buildComment(comment, comment.id === shownId, context)),
  }
}

function buildComment(comment: CommentJson, isMarked: boolean, context: PageContext) {
  const { id, person, text, createdAt, editedAt, isDeleted, isOwn } = comment
  const { format } = context.language
  const names = comment.mentions.map(({ name }) => name)
  const pieces = splitAtMentions(text, names)
  const isNamed = (name: string) => pieces.some((piece) => piece.isMention && piece.text === `@${name}`)
  return {
    id,
    name: person.name,
    iso: createdAt,
    time: format.shortTime(createdAt),
    isEdited: editedAt !== null,
    isDeleted,
    isMarked,
    pieces,
    /** Mentioned people that the text does not name. */
    others: names.filter((name) => !isNamed(name)),
    own: isOwn && {
      editHref: `${formatCommentHref(context, '', { edit: id })}#comment-form`,
      deleteHref: formatCommentHref(context, `/comments/${id}/delete`, {}),
    },
  }
}
