import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { recordJobFailure } from '../../platform/queue/claims.ts'
import {
  endAutomaticQueuePause,
  pauseQueueAutomatically,
  QUEUE_PROBE_INTERVAL_SECONDS,
  loadQueuePauses,
  type AutomaticQueuePause,
} from '../../platform/queue/pauses.ts'
import { type JobClaim, JobFailedError } from '../../platform/queue/queue.ts'
import type { PortalError } from '../bitrix24/errors.ts'

export const CRM_WRITE_QUEUE_NAME = 'crm-write'

/** After rejections by this many deals in a row, the webhook probably has no right to write. */
const MIN_REJECTING_DEALS = 3

const DENIED_PATTERN = 'access.?denied'

/** The portal rejected a comment in one deal. Other deals can still accept theirs. */
export class CommentRejectedError extends JobFailedError {
  readonly error: PortalError
  constructor(error: PortalError) {
    super(error.reason, true)
    this.error = error
  }
}

/** Returns true if a deal rejected a comment for a missing right. Some methods report this only in the text of the error. */
export const isCommentRejectedByDeal = ({ verdict, message }: PortalError): boolean =>
  verdict === 'denied' || (verdict === 'item' && new RegExp(DENIED_PATTERN, 'i').test(message))

/** Hashes CRM_WRITE_WEBHOOK_URL, which decides whether the portal accepts comments. */
export const hashWriteWebhook = ({ CRM_WRITE_WEBHOOK_URL = '' }: Config): string =>
  sha256(CRM_WRITE_WEBHOOK_URL).toString('hex')

const pauseOf = (config: Config): AutomaticQueuePause => ({
  name: CRM_WRITE_QUEUE_NAME,
  cause: hashWriteWebhook(config),
})

/** Pauses the queue of comments after the portal rejected one, and stores the error as the reason that owners see. */
export const pauseCommentWriting = (sql: Sql, config: Config, { reason, code }: PortalError): Promise<void> =>
  pauseQueueAutomatically(sql, pauseOf(config), reason, code || 'ACCESS_DENIED')

/** Ends an automatic pause that began before `readAt`, the time when the accepted comment was read from the database. */
export const endCommentWritingPause = ({ pool, config }: Core, readAt: Date): Promise<void> =>
  endAutomaticQueuePause(pool, pauseOf(config), readAt)

/** Returns true if the queue is paused after a rejection and the portal has accepted no comment since then. */
export const isAwaitingCommentAcceptance = async (core: Core): Promise<boolean> =>
  (await loadQueuePauses(core)).get(CRM_WRITE_QUEUE_NAME)?.retryAt instanceof Date

/**
 * Records a failed attempt to write a comment. If several deals in a row reject comments, queues these comments
 * again and pauses the queue.
 */
export function failCrmComment(core: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome> {
  return runInTransaction(core.db, async (sql) => {
    const outcome = await recordJobFailure(sql, core.config, claim, failure)
    const isSeries =
      outcome === 'failed' && failure instanceof CommentRejectedError && (await requeueRejectedComments(sql))
    if (isSeries) await pauseCommentWriting(sql, core.config, failure.error)
    return outcome
  })
}

/** Queues the rejected comments again, once, after the next probe. @returns false if too few deals rejected comments */
async function requeueRejectedComments(sql: Sql): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `WITH refused AS (
             SELECT id, deal_id FROM crm_comments
              WHERE status = 'FAILED' AND attempts = 1 AND last_error ~* $1
                AND finished_at > coalesce((SELECT max(finished_at) FROM crm_comments WHERE status = 'SENT'), '-infinity'))
           UPDATE crm_comments SET status = 'QUEUED', started_at = NULL, finished_at = NULL,
                  next_attempt_at = now() + make_interval(secs => ${QUEUE_PROBE_INTERVAL_SECONDS})
            WHERE id IN (SELECT id FROM refused) AND (SELECT count(DISTINCT deal_id) FROM refused) >= ${MIN_REJECTING_DEALS}`,
    values: [DENIED_PATTERN],
  })
  return rowCount! > 0
}
