import type { Core } from '../../platform/core.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { QUEUE_PROBE_INTERVAL_SECONDS } from '../../platform/queue/pauses.ts'
import {
  JobClaimLostError,
  JobFailedError,
  JobNotReadyError,
  type JobClaim,
  type Job,
} from '../../platform/queue/queue.ts'
import type { PortalAccess } from '../bitrix24/client.ts'
import { addDealComment, fetchMatchingDealComment, updateDealComment } from '../bitrix24/comments.ts'
import { CrmAutomationOffError, PortalError } from '../bitrix24/errors.ts'
import { parsePortalWebhook, PortalWebhookError } from '../bitrix24/webhook.ts'
import { MAX_CRM_RETRY_PAUSE_SECONDS } from '../steps/failure.ts'
import { commentWritingMessages } from './messages.ts'
import {
  CommentRejectedError,
  isCommentRejectedByDeal,
  isAwaitingCommentAcceptance,
  endCommentWritingPause,
  pauseCommentWriting,
} from './rejection.ts'
import {
  formatCrmComment,
  hashCommentText,
  isOwnCommentText,
  formatMovedCrmComment,
  loadCrmCommentText,
} from './text.ts'

interface PlannedComment {
  recordingId: string
  dealId: string
  commentId: string | null
  textHash: string | null
  /** Whether the deal can have a comment whose id we do not know. */
  possiblyPosted: boolean
  /** When this row was read, by the clock of the database. */
  readAt: Date
  /** Whether the call is still linked to the deal, without ambiguity. */
  isLinked: boolean
}

/**
 * The outcome of writing a comment: sent, removed by a person, or no longer needed. `readAt` is the database time when the
 * plan of the comment was loaded.
 */
export type CommentWriteResult = CommentOutcome & { readAt: Date }

type CommentOutcome =
  | { state: 'SENT'; commentId: string; textHash: string; hasMoved: boolean }
  | { state: 'REMOVED' | 'CANCELLED' }

/**
 * Adds or updates the comment of a call in a deal, without duplicates after lost responses.
 * Before it adds a comment, it marks the row as possibly posted. Later attempts then search the comments of the deal first.
 * If a person removed the posted comment, the outcome is REMOVED.
 */
export async function writeCrmComment(core: Core, job: Job): Promise<CommentWriteResult> {
  const planned = await loadClaimedComment(core, job)
  const { isLinked, recordingId, readAt } = planned
  const text = await loadCrmCommentText(
    core.pool,
    core.config,
    recordingId,
    isLinked ? formatCrmComment : formatMovedCrmComment,
  )
  const isUnposted = !isLinked && !planned.possiblyPosted && planned.commentId === null
  if (text === undefined || isUnposted) return { state: 'CANCELLED', readAt }
  try {
    const webhook = parsePortalWebhook(core.config, 'write')
    if (!webhook) throw new JobNotReadyError(commentWritingMessages.notConfigured(), 60)
    const access: PortalAccess = { webhook, lane: 'write', signal: job.signal }
    const ended = isLinked
      ? await postComment(core, job, access, planned, text)
      : await markCommentMoved(core, access, planned, text)
    return { ...ended, readAt }
  } catch (error) {
    throw await toJobError(core, job, error)
  }
}

async function loadClaimedComment(core: Core, { id, token }: Job): Promise<PlannedComment> {
  const { rows } = await core.pool.query<PlannedComment>({
    text: `SELECT c.recording_id AS "recordingId", c.deal_id AS "dealId", c.comment_id AS "commentId", c.text_hash AS "textHash",
                  now() AS "readAt",
                  c.may_stand OR EXISTS (SELECT FROM crm_comments o WHERE o.recording_id = c.recording_id AND o.id <> c.id)
                    AS "possiblyPosted",
                  EXISTS (SELECT FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
                           WHERE l.recording_id = c.recording_id AND l.deal_id = c.deal_id AND NOT l.ambiguous) AS "isLinked"
             FROM crm_comments c WHERE c.id = $1 AND c.attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new JobClaimLostError()
  return rows[0]
}

async function postComment(
  core: Core,
  job: Job,
  access: PortalAccess,
  { commentId, textHash, possiblyPosted, recordingId, dealId }: PlannedComment,
  text: string,
): Promise<CommentOutcome> {
  if (commentId) return updatePostedComment(core, access, { id: commentId, hash: textHash }, text, false)
  const found = possiblyPosted ? await fetchOwnComment(core, access, dealId, recordingId) : undefined
  if (found) return updatePostedComment(core, access, found, text, false)
  await markPossiblyPosted(core, job)
  const id = await addDealComment(core, access, dealId, text)
  if (id === null) throw new JobFailedError(commentWritingMessages.noNumber())
  return { state: 'SENT', commentId: id, textHash: hashCommentText(text), hasMoved: false }
}

/** Updates the comment of a call that now belongs to another deal, unless the comment is no longer in the old deal. */
async function markCommentMoved(
  core: Core,
  access: PortalAccess,
  { recordingId, dealId }: PlannedComment,
  text: string,
): Promise<CommentOutcome> {
  const found = await fetchOwnComment(core, access, dealId, recordingId).catch((error: unknown) => {
    if (error instanceof PortalError && error.verdict === 'item') return undefined
    throw error
  })
  return found ? updatePostedComment(core, access, found, text, true) : { state: 'CANCELLED' }
}

async function fetchOwnComment(
  core: Core,
  access: PortalAccess,
  dealId: string,
  recordingId: string,
): Promise<PostedComment | undefined> {
  const found = await fetchMatchingDealComment(core, access, dealId, (text) => isOwnCommentText(text, recordingId))
  return found && { id: found.id, hash: hashCommentText(found.text) }
}

/** `hash` is null if we do not know the text of the comment. */
interface PostedComment {
  id: string
  hash: string | null
}

async function updatePostedComment(
  core: Core,
  access: PortalAccess,
  { id, hash }: PostedComment,
  text: string,
  hasMoved: boolean,
): Promise<CommentOutcome> {
  const textHash = hashCommentText(text)
  try {
    if (hash !== textHash) await updateDealComment(core, access, id, text)
  } catch (error) {
    if (isRemovedError(error)) return { state: 'REMOVED' }
    throw error
  }
  return { state: 'SENT', commentId: id, textHash, hasMoved }
}

/** The portal uses an empty code both for a missing comment and for a missing right. */
const isRemovedError = (error: unknown): boolean =>
  error instanceof PortalError && error.verdict === 'item' && !/access denied/i.test(error.message)

/** @throws JobClaimLostError */
async function markPossiblyPosted(core: Core, { id, token }: Job): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_comments SET may_stand = true WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token],
  })
  if (rowCount !== 1) throw new JobClaimLostError()
}

async function toJobError(core: Core, job: Job, error: unknown): Promise<unknown> {
  if (error instanceof CrmAutomationOffError) return new JobNotReadyError(error.reason, 10)
  if (error instanceof PortalWebhookError) return new JobNotReadyError(error.reason, 60, 60)
  // The job was stopped during a request. The next attempt must wait until the portal has ended this request.
  const isStopped = job.signal.aborted && !(error instanceof JobClaimLostError)
  if (isStopped)
    return new JobNotReadyError(commentWritingMessages.workerDied(), 2, job.queue.firstPauseSeconds(core.config))
  if (!(error instanceof PortalError)) return error
  const { verdict, reason } = error
  if (verdict === 'retry') return toLostResponseError(core, job, error)
  if (verdict === 'blocked') await pauseCommentWriting(core.pool, core.config, error)
  if (isCommentRejectedByDeal(error)) {
    if (!(await isAwaitingCommentAcceptance(core))) return new CommentRejectedError(error)
    await pauseCommentWriting(core.pool, core.config, error)
    return new JobNotReadyError(reason, 30, QUEUE_PROBE_INTERVAL_SECONDS)
  }
  return verdict === 'item' || verdict === 'attention'
    ? new JobFailedError(reason, true)
    : new JobNotReadyError(reason, 30, 0)
}

/**
 * A lost response counts as an attempt only if the portal accepted other comments since the last loss. The pause doubles up to
 * one hour.
 */
function toLostResponseError(core: Core, { id, queue }: Job, { reason }: PortalError): Error {
  const { times, isOwn } = recordLostResponse(core, id)
  if (isOwn) return new JobFailedError(reason)
  const pause = queue.firstPauseSeconds(core.config) * 2 ** (times - 1)
  return new JobNotReadyError(reason, 10, Math.min(MAX_CRM_RETRY_PAUSE_SECONDS, pause))
}

/**
 * Stores the outcome of a comment and ends its job. An accepted comment also ends a pause of the queue.
 * @returns done, or lost if the claim is no longer valid
 */
export async function completeCrmComment(
  core: Core,
  claim: JobClaim,
  result: CommentWriteResult,
): Promise<AttemptOutcome> {
  const { state, readAt } = result
  if (state !== 'SENT') return (await endJob(core.pool, claim, state)) ? 'done' : 'lost'
  recordAcceptedComment(core, claim.id)
  await endCommentWritingPause(core, readAt)
  const ended = await endJob(core.pool, claim, state, {
    comment_id: result.commentId,
    text_hash: result.textHash,
    // Checks that changed after this time are not in the text.
    sent_at: readAt,
    left_at: result.hasMoved ? readAt : null,
  })
  return ended ? 'done' : 'lost'
}

/** Counts the responses to comments in this process. */
interface WriteTally {
  taken: number
  /** For each comment without a response: the accepted comments before, and its losses in a row. */
  lost: Map<string, { takenBefore: number; times: number }>
}

const tallies = new WeakMap<Core, WriteTally>()

function ensureTally(core: Core): WriteTally {
  const tally = tallies.get(core) ?? { taken: 0, lost: new Map() }
  tallies.set(core, tally)
  return tally
}

function recordAcceptedComment(core: Core, id: string): void {
  const tally = ensureTally(core)
  tally.taken++
  tally.lost.delete(id)
}

/** @returns the losses in a row, and `isOwn`: whether the portal accepted other comments since the last loss */
function recordLostResponse(core: Core, id: string): { times: number; isOwn: boolean } {
  const { taken, lost } = ensureTally(core)
  const before = lost.get(id)
  const times = (before?.times ?? 0) + 1
  lost.set(id, { takenBefore: taken, times })
  return { times, isOwn: before !== undefined && taken > before.takenBefore }
}
