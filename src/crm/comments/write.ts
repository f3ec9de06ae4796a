import type { Core } from '../../platform/core.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { PROBE_SECONDS } from '../../platform/queue/pauses.ts'
import { ClaimLost, JobFailed, NotReady, type Claim, type Job } from '../../platform/queue/queue.ts'
import type { Asking } from '../bitrix24/client.ts'
import { addComment, findComment, updateComment } from '../bitrix24/comments.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { webhookOf, WebhookError } from '../bitrix24/webhook.ts'
import { LONGEST_PAUSE_SECONDS } from '../steps/failure.ts'
import { writingMessages } from './messages.ts'
import { CommentRejected, isDealRejection, isOnTrial, recordAccepted, recordRejected } from './rejection.ts'
import { commentText, hashOf, isOwnText, movedText, renderComment } from './text.ts'

interface PlannedComment {
  recordingId: string
  dealId: string
  commentId: string | null
  textHash: string | null
  /** Whether the deal can have a comment whose id we do not know. */
  possiblyPosted: boolean
  /** When it was read, by the database's clock. */
  readAt: Date
  /** Whether the call still belongs to the deal for certain. */
  isLinked: boolean
}

/** The result: the comment is in the deal, a person has removed it, or it is no longer wanted. */
export type Written = Ended & { readAt: Date }

type Ended =
  | { state: 'SENT'; commentId: string; textHash: string; hasMoved: boolean }
  | { state: 'REMOVED' | 'CANCELLED' }

/**
 * Writes a comment exactly once, whatever responses are lost. Before the request that adds it, its row is marked as possibly
 * posted; then later attempts search the deal's comments first. A comment that a person has removed is never written again.
 */
export async function writeComment(core: Core, job: Job): Promise<Written> {
  const planned = await claimedComment(core, job)
  const { isLinked, recordingId, readAt } = planned
  const text = await renderComment(core.pool, core.config, recordingId, isLinked ? commentText : movedText)
  const isNowhere = !isLinked && !planned.possiblyPosted && planned.commentId === null
  if (text === undefined || isNowhere) return { state: 'CANCELLED', readAt }
  try {
    const webhook = webhookOf(core.config, 'write')
    if (!webhook) throw new NotReady(writingMessages.notConfigured(), 60)
    const asking: Asking = { webhook, lane: 'write', signal: job.signal }
    const ended = isLinked
      ? await postComment(core, job, asking, planned, text)
      : await markCommentMoved(core, asking, planned, text)
    return { ...ended, readAt }
  } catch (error) {
    throw await asJobError(core, job, error)
  }
}

async function claimedComment(core: Core, { id, token }: Job): Promise<PlannedComment> {
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
  if (!rows[0]) throw new ClaimLost()
  return rows[0]
}

async function postComment(
  core: Core,
  job: Job,
  asking: Asking,
  { commentId, textHash, possiblyPosted, recordingId, dealId }: PlannedComment,
  text: string,
): Promise<Ended> {
  if (commentId) return update(core, asking, { id: commentId, hash: textHash }, text, false)
  const found = possiblyPosted ? await findOwn(core, asking, dealId, recordingId) : undefined
  if (found) return update(core, asking, found, text, false)
  await markPossiblyPosted(core, job)
  const id = await addComment(core, asking, dealId, text)
  if (id === null) throw new JobFailed(writingMessages.noNumber())
  return { state: 'SENT', commentId: id, textHash: hashOf(text), hasMoved: false }
}

/** Updates the comment of a call that belongs to another deal now, unless a merge moved the comment along. */
async function markCommentMoved(
  core: Core,
  asking: Asking,
  { recordingId, dealId }: PlannedComment,
  text: string,
): Promise<Ended> {
  const found = await findOwn(core, asking, dealId, recordingId).catch((error: unknown) => {
    if (error instanceof PortalError && error.verdict === 'item') return undefined
    throw error
  })
  return found ? update(core, asking, found, text, true) : { state: 'CANCELLED' }
}

async function findOwn(core: Core, asking: Asking, dealId: string, recordingId: string): Promise<Posted | undefined> {
  const found = await findComment(core, asking, dealId, (text) => isOwnText(text, recordingId))
  return found && { id: found.id, hash: hashOf(found.text) }
}

/** A comment in the portal; the hash of its text is null if we do not know it. */
interface Posted {
  id: string
  hash: string | null
}

async function update(
  core: Core,
  asking: Asking,
  { id, hash }: Posted,
  text: string,
  hasMoved: boolean,
): Promise<Ended> {
  const textHash = hashOf(text)
  try {
    if (hash !== textHash) await updateComment(core, asking, id, text)
  } catch (error) {
    if (isRemoved(error)) return { state: 'REMOVED' }
    throw error
  }
  return { state: 'SENT', commentId: id, textHash, hasMoved }
}

/** The portal uses the same empty code for a missing comment and for a missing right. */
const isRemoved = (error: unknown): boolean =>
  error instanceof PortalError && error.verdict === 'item' && !/access denied/i.test(error.message)

/** @throws ClaimLost */
async function markPossiblyPosted(core: Core, { id, token }: Job): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_comments SET may_stand = true WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token],
  })
  if (rowCount !== 1) throw new ClaimLost()
}

async function asJobError(core: Core, job: Job, error: unknown): Promise<unknown> {
  if (error instanceof CrmNotOn) return new NotReady(error.reason, 10)
  if (error instanceof WebhookError) return new NotReady(error.reason, 60, 60)
  // Stopped in the middle of a request: the next attempt must not start before the portal has ended it.
  const isStopped = job.signal.aborted && !(error instanceof ClaimLost)
  if (isStopped) return new NotReady(writingMessages.workerDied(), 2, job.queue.firstPauseSeconds(core.config))
  if (!(error instanceof PortalError)) return error
  const { verdict, reason } = error
  if (verdict === 'retry') return asLost(core, job, error)
  if (verdict === 'blocked') await recordRejected(core.pool, core.config, error)
  if (isDealRejection(error)) {
    if (!(await isOnTrial(core))) return new CommentRejected(error)
    await recordRejected(core.pool, core.config, error)
    return new NotReady(reason, 30, PROBE_SECONDS)
  }
  return verdict === 'item' || verdict === 'attention' ? new JobFailed(reason, true) : new NotReady(reason, 30, 0)
}

/** Handles a lost response. It counts only if the portal takes other comments; the pause doubles up to an hour. */
function asLost(core: Core, { id, queue }: Job, { reason }: PortalError): Error {
  const { times, isOwn } = recordLoss(core, id)
  if (isOwn) return new JobFailed(reason)
  const pause = queue.firstPauseSeconds(core.config) * 2 ** (times - 1)
  return new NotReady(reason, 10, Math.min(LONGEST_PAUSE_SECONDS, pause))
}

export async function completeComment(core: Core, claim: Claim, written: Written): Promise<AttemptOutcome> {
  const { state, readAt } = written
  if (state !== 'SENT') return (await endJob(core.pool, claim, state)) ? 'done' : 'lost'
  recordTaken(core, claim.id)
  await recordAccepted(core, readAt)
  const ended = await endJob(core.pool, claim, state, {
    comment_id: written.commentId,
    text_hash: written.textHash,
    // The text does not include checks that changed later.
    sent_at: readAt,
    left_at: written.hasMoved ? readAt : null,
  })
  return ended ? 'done' : 'lost'
}

/** The results of this process with the portal. */
interface Tally {
  taken: number
  /** For each lost comment: the comments taken before, and its losses in a row. */
  lost: Map<string, { takenBefore: number; times: number }>
}

const tallies = new WeakMap<Core, Tally>()

function tallyOf(core: Core): Tally {
  const tally = tallies.get(core) ?? { taken: 0, lost: new Map() }
  tallies.set(core, tally)
  return tally
}

function recordTaken(core: Core, id: string): void {
  const tally = tallyOf(core)
  tally.taken++
  tally.lost.delete(id)
}

/** Records a lost response; returns the losses in a row, isOwn if the portal took other comments since the last. */
function recordLoss(core: Core, id: string): { times: number; isOwn: boolean } {
  const { taken, lost } = tallyOf(core)
  const before = lost.get(id)
  const times = (before?.times ?? 0) + 1
  lost.set(id, { takenBefore: taken, times })
  return { times, isOwn: before !== undefined && taken > before.takenBefore }
}
