import type { Core } from '../../app/core.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob, type Claim } from '../../platform/queue/claims.ts'
import { PROBE_SECONDS } from '../../platform/queue/pauses.ts'
import { ClaimLost, JobFailed, NotReady, type Job } from '../../platform/queue/queue.ts'
import { callPortal, type Asking } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { rowsOfPage } from '../bitrix24/rows.ts'
import { webhookOf, WebhookError } from '../bitrix24/webhook.ts'
import { idOf, textOf } from '../bitrix24/values.ts'
import { textOfComment } from './facts.ts'
import { writingMessages } from './messages.ts'
import { commentText, hashOf, isOwnText, leftText } from './text.ts'
import { noteLost, noteTaken } from './losses.ts'
import { CommentRefused, isDealRefusal, isOnTrial, noteRefused, noteWilling } from './refusal.ts'

/** A comment that is to be written, or brought up to date. */
interface PlannedComment {
  recordingId: string
  dealId: string
  commentId: string | null
  textHash: string | null
  /** Whether one may stand in the deal that we do not know the number of. */
  mayStand: boolean
  /** When it was read, by the database's clock. */
  readAt: Date
  /** Whether the call still belongs to the deal for certain, and the deal is one that was read. */
  isLinked: boolean
}

/** What became of it: it stands, a person has removed it, or it is not wanted any more. */
export type Written = Ended & { readAt: Date }

type Ended =
  | { state: 'SENT'; commentId: string; textHash: string; hasLeft: boolean }
  | { state: 'REMOVED' | 'CANCELLED' }

/**
 * Writes a comment exactly once, whatever is lost: before the request that adds it, its row says that it may stand; where
 * it may, the deal's comments are looked through first. A comment that a person has removed is never written again.
 */
export async function writeComment(core: Core, job: Job): Promise<Written> {
  const planned = await claimedComment(core, job)
  const { isLinked, recordingId, readAt } = planned
  const text = await textOfComment(core.pool, core.config, recordingId, isLinked ? commentText : leftText)
  if (text === undefined || (!isLinked && !planned.mayStand && planned.commentId === null))
    return { state: 'CANCELLED', readAt }
  try {
    const webhook = webhookOf(core.config, 'write')
    if (!webhook) throw new NotReady(writingMessages.notConfigured(), 60)
    const asking: Asking = { webhook, lane: 'write', signal: job.signal }
    return { ...(await (isLinked ? bringUpToDate : sayThatItLeft)(core, job, asking, planned, text)), readAt }
  } catch (error) {
    throw await asJobError(core, job, error)
  }
}

async function claimedComment(core: Core, { id, token }: Job): Promise<PlannedComment> {
  const { rows } = await core.pool.query<PlannedComment>({
    text: `SELECT c.recording_id AS "recordingId", c.deal_id AS "dealId", c.comment_id AS "commentId", c.text_hash AS "textHash",
                  now() AS "readAt",
                  c.may_stand OR EXISTS (SELECT FROM crm_comments o WHERE o.recording_id = c.recording_id AND o.id <> c.id)
                    AS "mayStand",
                  EXISTS (SELECT FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
                           WHERE l.recording_id = c.recording_id AND l.deal_id = c.deal_id AND NOT l.ambiguous) AS "isLinked"
             FROM crm_comments c WHERE c.id = $1 AND c.attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new ClaimLost()
  return rows[0]
}

async function bringUpToDate(
  core: Core,
  job: Job,
  asking: Asking,
  planned: PlannedComment,
  text: string,
): Promise<Ended> {
  const textHash = hashOf(text)
  const standing = planned.commentId
    ? { id: planned.commentId, hash: planned.textHash }
    : planned.mayStand && (await findComment(core, asking, planned))
  if (!standing) {
    await noteMayStand(core, job)
    return { state: 'SENT', commentId: await addComment(core, asking, planned, text), textHash, hasLeft: false }
  }
  return updateComment(core, asking, standing, text, false)
}

/**
 * The call belongs to another deal: the comment says so. It is looked for in its own deal first: where two deals were
 * merged, it stands in the one that is left, and is the comment of that one.
 */
async function sayThatItLeft(
  core: Core,
  _: Job,
  asking: Asking,
  planned: PlannedComment,
  text: string,
): Promise<Ended> {
  const standing = await findComment(core, asking, planned).catch((error: unknown) => {
    if (error instanceof PortalError && error.verdict === 'item') return undefined
    throw error
  })
  return standing ? updateComment(core, asking, standing, text, true) : { state: 'CANCELLED' }
}

async function updateComment(
  core: Core,
  asking: Asking,
  { id, hash }: { id: string; hash: string | null },
  text: string,
  hasLeft: boolean,
): Promise<Ended> {
  const written: Ended = { state: 'SENT', commentId: id, textHash: hashOf(text), hasLeft }
  if (hash === written.textHash) return written
  try {
    await callPortal(core, asking, 'crm.timeline.comment.update', { id, fields: { COMMENT: text } })
  } catch (error) {
    if (isGone(error)) return { state: 'REMOVED' }
    throw error
  }
  return written
}

/** An empty code comes with what is not there, and with what may not be done. */
const isGone = (error: unknown): boolean =>
  error instanceof PortalError && error.verdict === 'item' && !/access denied/i.test(error.message)

/** So many of a deal's last comments are looked through. */
const LOOKED_AT = 200
const PAGE = 50
const LONGEST_PAUSE_SECONDS = 3600

/** Our comments are shorter than this. */
const LONGEST_COMMENT = 65_535
const commentIn = (value: unknown): string | null => textOf(value, LONGEST_COMMENT)

/** The comment of ours that already stands in a deal, by its form and the recording's id at its end; the newest first. */
async function findComment(
  core: Core,
  asking: Asking,
  { recordingId, dealId }: PlannedComment,
): Promise<{ id: string; hash: string } | undefined> {
  for (let start = 0; start < LOOKED_AT; start += PAGE) {
    const { result } = await callPortal(core, asking, 'crm.timeline.comment.list', {
      filter: { ENTITY_ID: dealId, ENTITY_TYPE: 'deal' },
      select: ['ID', 'COMMENT'],
      order: { ID: 'DESC' },
      start,
    })
    const rows = rowsOfPage('crm.timeline.comment.list', result)
    const found = rows.find(({ COMMENT }) => isOwnText(commentIn(COMMENT) ?? '', recordingId))
    const id = found && idOf(found.ID)
    if (id) return { id, hash: hashOf(commentIn(found.COMMENT)!) }
    if (rows.length < PAGE) return undefined
  }
  return undefined
}

/** @throws ClaimLost */
async function noteMayStand(core: Core, { id, token }: Job): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_comments SET may_stand = true WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token],
  })
  if (rowCount !== 1) throw new ClaimLost()
}

async function addComment(core: Core, asking: Asking, { dealId }: PlannedComment, text: string): Promise<string> {
  const { result } = await callPortal(core, asking, 'crm.timeline.comment.add', {
    fields: { ENTITY_ID: dealId, ENTITY_TYPE: 'deal', COMMENT: text },
  })
  const id = idOf(result)
  if (id === null) throw new JobFailed(writingMessages.noNumber())
  return id
}

async function asJobError(core: Core, job: Job, error: unknown): Promise<unknown> {
  if (error instanceof CrmNotOn) return new NotReady(error.reason, 10)
  if (error instanceof WebhookError) return new NotReady(error.reason, 60, 60)
  // A stop in the middle of a request: whoever takes the comment next must not come before the portal has ended it.
  const isStopped = job.signal.aborted && !(error instanceof ClaimLost)
  if (isStopped) return new NotReady(writingMessages.workerDied(), 2, job.queue.firstPauseSeconds(core.config))
  if (!(error instanceof PortalError)) return error
  const { verdict, reason } = error
  if (verdict === 'retry') return asLost(core, job, error)
  if (verdict === 'blocked') await noteRefused(core.pool, core.config, error)
  if (isDealRefusal(error)) {
    if (!(await isOnTrial(core))) return new CommentRefused(error)
    await noteRefused(core.pool, core.config, error)
    return new NotReady(reason, 30, PROBE_SECONDS)
  }
  return verdict === 'item' || verdict === 'attention' ? new JobFailed(reason, true) : new NotReady(reason, 30, 0)
}

/**
 * An answer is missing, or is an error that may pass. It is no attempt, because a portal may be away for a day, unless it takes
 * others. The pause gives it the time to end what it may have begun, and is doubled up to an hour.
 */
function asLost(core: Core, { id, queue }: Job, { reason }: PortalError): Error {
  const { times, isOwn } = noteLost(core, id)
  if (isOwn) return new JobFailed(reason)
  const pause = queue.firstPauseSeconds(core.config) * 2 ** (times - 1)
  return new NotReady(reason, 10, Math.min(LONGEST_PAUSE_SECONDS, pause))
}

/** Stores what became of a comment. */
export async function settleComment(core: Core, claim: Claim, written: Written): Promise<AttemptOutcome> {
  const columns =
    written.state === 'SENT'
      ? {
          comment_id: written.commentId,
          text_hash: written.textHash,
          // A check that changed after that is not in the text.
          sent_at: written.readAt,
          left_at: written.hasLeft ? written.readAt : null,
        }
      : {}
  if (written.state === 'SENT') {
    noteTaken(core, claim.id)
    await noteWilling(core, written.readAt)
  }
  return (await endJob(core.pool, claim, written.state, columns)) ? 'done' : 'lost'
}
