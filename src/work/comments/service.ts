import { requireVisibleRecording } from '../../check/checks/queries.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { fieldRuleMessages } from '../../platform/http/messages.ts'
import { generateId, isUuid, toUniqueIds } from '../../platform/lib/ids.ts'
import { lockVisibleCall, requireMomentInCall } from '../visible-call.ts'
import { deleteMentionNotifications, notifyAboutComment, notifyMentionedPeople } from '../notifications/causes.ts'
import { commentMessages } from './messages.ts'
import { canAllSeeCall } from './people.ts'
import { COMMENT_COLUMNS_SQL, presentComment, type CommentRow } from './present.ts'
import type { CommentJson } from './schema.ts'
import { MAX_CALL_COMMENTS } from './values.ts'

interface CommentContent {
  text: string
  mentions?: string[]
}

interface NewComment extends CommentContent {
  at: number
  replyTo?: string
}

/** Lists all comments on a call: threads by their moment, replies oldest first. @throws HttpError 404 */
export async function listComments(
  { pool }: Core,
  actor: PersonActor,
  recordingId: string,
): Promise<{ items: CommentJson[] }> {
  await requireVisibleRecording(pool, actor, recordingId)
  const { rows } = await pool.query<CommentRow>({
    text: `SELECT ${COMMENT_COLUMNS_SQL}
             FROM call_comments c LEFT JOIN call_comments first ON first.id = c.reply_to
            WHERE c.recording_id = $1
            ORDER BY coalesce(first.at_seconds, c.at_seconds), coalesce(c.reply_to, c.id), c.id`,
    values: [recordingId],
  })
  return { items: rows.map((row) => presentComment(row, actor)) }
}

/** Adds a comment. @throws HttpError 400 naming the field, 404, 409 if the call has too many comments */
export function createComment(
  core: Core,
  actor: PersonActor,
  recordingId: string,
  { at, text, replyTo, ...content }: NewComment,
): Promise<CommentJson> {
  const id = generateId()
  const mentions = toUniqueIds(content.mentions ?? [])
  return runInTransaction(core.db, async (sql) => {
    const call = await lockVisibleCall(sql, actor, recordingId)
    requireMomentInCall(call, at)
    requireText(text)
    await requireMentionable(sql, call.id, mentions)
    const thread = replyTo === undefined ? undefined : await findThread(sql, call.id, replyTo)
    await requireSpace(sql, call.id)
    await insertRow(sql, 'call_comments', {
      id,
      recording_id: call.id,
      reply_to: thread?.id,
      at_seconds: at,
      text,
      mentions,
      person_id: actor.person.id,
    })
    await recordComment(sql, actor, 'comment.create', call.id, id)
    const comment = { id, recordingId: call.id, authorId: actor.person.id }
    await notifyMentionedPeople(sql, comment, mentions)
    await notifyAboutComment(sql, comment, thread?.authorId, mentions)
    return loadComment(sql, actor, id)
  })
}

/** Changes the text and the mentions of the actor's own comment. @throws HttpError 400 naming the field, 404 */
export function changeComment(
  core: Core,
  actor: PersonActor,
  recordingId: string,
  id: string,
  { text, ...content }: CommentContent,
): Promise<CommentJson> {
  return runInTransaction(core.db, async (sql) => {
    const call = await lockVisibleCall(sql, actor, recordingId)
    const before = await lockOwnComment(sql, actor, call.id, id)
    const mentions = content.mentions === undefined ? before.mentions : toUniqueIds(content.mentions)
    const added = mentions.filter((one) => !before.mentions.includes(one))
    requireText(text)
    await requireMentionable(sql, call.id, added)
    await sql.query({
      text: 'UPDATE call_comments SET text = $2, mentions = $3, edited_at = now() WHERE id = $1',
      values: [id, text, mentions],
    })
    await recordComment(sql, actor, 'comment.change', call.id, id)
    const removed = before.mentions.filter((one) => !mentions.includes(one))
    await deleteMentionNotifications(sql, id, removed)
    await notifyMentionedPeople(sql, { id, recordingId: call.id, authorId: actor.person.id }, added)
    return loadComment(sql, actor, id)
  })
}

/** Deletes the actor's own comment. One with replies stays without its text and its notifications. @throws HttpError 404 */
export function deleteComment(core: Core, actor: PersonActor, recordingId: string, id: string): Promise<void> {
  return runInTransaction(core.db, async (sql) => {
    const call = await lockVisibleCall(sql, actor, recordingId)
    const { replyTo } = await lockOwnComment(sql, actor, call.id, id)
    await sql.query({ text: 'DELETE FROM notifications WHERE comment_id = $1', values: [id] })
    const { rowCount } = await sql.query({
      text: `UPDATE call_comments SET text = '', mentions = '{}', deleted_at = now()
              WHERE id = $1 AND EXISTS (SELECT FROM call_comments c WHERE c.reply_to = $1)`,
      values: [id],
    })
    if (rowCount === 0) await sql.query({ text: 'DELETE FROM call_comments WHERE id = $1', values: [id] })
    if (replyTo !== null) await deleteEmptyThread(sql, replyTo)
    await recordComment(sql, actor, 'comment.delete', call.id, id)
  })
}

/** Deletes a deleted first comment without replies. Its lock makes parallel replies and deletions visible. */
async function deleteEmptyThread(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'SELECT FROM call_comments WHERE id = $1 FOR UPDATE', values: [id] })
  await sql.query({
    text: `DELETE FROM call_comments first WHERE id = $1 AND deleted_at IS NOT NULL
              AND NOT EXISTS (SELECT FROM call_comments c WHERE c.reply_to = first.id)`,
    values: [id],
  })
}

function requireText(text: string): void {
  if (text.trim() === '') throw badRequestError([fieldRuleMessages.notEmpty().withField('text')])
}

/** The same message for unknown people and for those who cannot see the call reveals nothing about them. */
async function requireMentionable(sql: Sql, recordingId: string, mentions: string[]): Promise<void> {
  if (!(await canAllSeeCall(sql, recordingId, mentions)))
    throw badRequestError([commentMessages.cannotSee().withField('mentions')])
}

/** Locks the first comment of the thread, so that a parallel deletion keeps it for its reply. */
async function findThread(sql: Sql, recordingId: string, id: string): Promise<{ id: string; authorId: string }> {
  const { rows } = await sql.query<{ id: string; authorId: string }>({
    text: `SELECT first.id, first.person_id AS "authorId"
             FROM call_comments c JOIN call_comments first ON first.id = coalesce(c.reply_to, c.id)
            WHERE c.id = $1 AND c.recording_id = $2 FOR UPDATE OF first`,
    values: [id, recordingId],
  })
  if (!rows[0]) throw badRequestError([commentMessages.noThread().withField('replyTo')])
  return rows[0]
}

async function requireSpace(sql: Sql, recordingId: string): Promise<void> {
  const text = 'SELECT FROM call_comments WHERE recording_id = $1'
  const { rowCount } = await sql.query({ text, values: [recordingId] })
  if (rowCount! >= MAX_CALL_COMMENTS) throw conflictError(commentMessages.tooMany({ limit: MAX_CALL_COMMENTS }))
}

async function lockOwnComment(
  sql: Sql,
  actor: PersonActor,
  recordingId: string,
  id: string,
): Promise<{ mentions: string[]; replyTo: string | null }> {
  if (!isUuid(id)) throw notFoundError(commentMessages.noComment())
  const { rows } = await sql.query<{ mentions: string[]; replyTo: string | null }>({
    text: `SELECT mentions, reply_to AS "replyTo" FROM call_comments
            WHERE id = $1 AND recording_id = $2 AND person_id = $3 AND deleted_at IS NULL FOR UPDATE`,
    values: [id, recordingId, actor.person.id],
  })
  if (!rows[0]) throw notFoundError(commentMessages.noComment())
  return rows[0]
}

/** The audit log is permanent. It omits texts, which are deleted with their call. */
const recordComment = (
  sql: Sql,
  actor: PersonActor,
  action: 'comment.create' | 'comment.change' | 'comment.delete',
  recordingId: string,
  comment: string,
): Promise<void> =>
  recordAuditChange(sql, actor, {
    action,
    object: { type: 'recording', id: recordingId },
    details: action === 'comment.delete' ? { before: { commentId: comment } } : { after: { commentId: comment } },
  })

async function loadComment(sql: Sql, actor: PersonActor, id: string): Promise<CommentJson> {
  const text = `SELECT ${COMMENT_COLUMNS_SQL} FROM call_comments c WHERE c.id = $1`
  const { rows } = await sql.query<CommentRow>({ text, values: [id] })
  return presentComment(rows[0]!, actor)
}
