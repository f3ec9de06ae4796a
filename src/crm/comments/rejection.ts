import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { recordFailure } from '../../platform/queue/claims.ts'
import {
  endAutomaticPause,
  pauseAutomatically,
  PROBE_INTERVAL_SECONDS,
  loadPauses,
  type AutomaticPause,
} from '../../platform/queue/pauses.ts'
import { type Claim, JobFailedError } from '../../platform/queue/queue.ts'
import type { PortalError } from '../bitrix24/errors.ts'

export const WRITE_QUEUE_NAME = 'crm-write'

/** If so many deals in a row reject a comment, the webhook cannot write into any. */
const MIN_REJECTING_DEALS = 3

const DENIED_PATTERN = 'access.?denied'

/** The portal rejected a comment for its deal; other deals can accept theirs. */
export class CommentRejectedError extends JobFailedError {
  readonly error: PortalError
  constructor(error: PortalError) {
    super(error.reason, true)
    this.error = error
  }
}

/** Whether a deal rejects its comment, by a code or only by the text. */
export const isDealRejection = ({ verdict, message }: PortalError): boolean =>
  verdict === 'denied' || (verdict === 'item' && new RegExp(DENIED_PATTERN, 'i').test(message))

/** Hashes the webhook for writing, which decides whether the portal accepts comments. */
export const hashWriteWebhook = ({ CRM_WRITE_WEBHOOK_URL = '' }: Config): string =>
  sha256(CRM_WRITE_WEBHOOK_URL).toString('hex')

const pauseOf = (config: Config): AutomaticPause => ({ name: WRITE_QUEUE_NAME, cause: hashWriteWebhook(config) })

/** Pauses the queue of comments after the portal rejected one, with the reason for an owner. */
export const recordRejected = (sql: Sql, config: Config, { reason, code }: PortalError): Promise<void> =>
  pauseAutomatically(sql, pauseOf(config), reason, code || 'ACCESS_DENIED')

/** Ends a pause that began before the portal accepted a comment read at `readAt`. */
export const recordAccepted = ({ pool, config }: Core, readAt: Date): Promise<void> =>
  endAutomaticPause(pool, pauseOf(config), readAt)

/** Whether the portal has accepted no comment since it rejected some. */
export const isAwaitingAcceptance = async (core: Core): Promise<boolean> =>
  (await loadPauses(core)).get(WRITE_QUEUE_NAME)?.retryAt instanceof Date

/** Records a failed attempt; if deal after deal rejects its comment, pauses the queue instead. */
export function failComment(core: Core, claim: Claim, failure: JobFailedError): Promise<AttemptOutcome> {
  return runInTransaction(core.db, async (sql) => {
    const outcome = await recordFailure(sql, core.config, claim, failure)
    const isSeries =
      outcome === 'failed' && failure instanceof CommentRejectedError && (await requeueRejectedComments(sql))
    if (isSeries) await recordRejected(sql, core.config, failure.error)
    return outcome
  })
}

/** Requeues comments that deals rejected in a row, once, behind the next probe; returns whether there were enough. */
async function requeueRejectedComments(sql: Sql): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `WITH refused AS (
             SELECT id, deal_id FROM crm_comments
              WHERE status = 'FAILED' AND attempts = 1 AND last_error ~* $1
                AND finished_at > coalesce((SELECT max(finished_at) FROM crm_comments WHERE status = 'SENT'), '-infinity'))
           UPDATE crm_comments SET status = 'QUEUED', started_at = NULL, finished_at = NULL,
                  next_attempt_at = now() + make_interval(secs => ${PROBE_INTERVAL_SECONDS})
            WHERE id IN (SELECT id FROM refused) AND (SELECT count(DISTINCT deal_id) FROM refused) >= ${MIN_REJECTING_DEALS}`,
    values: [DENIED_PATTERN],
  })
  return rowCount! > 0
}
