import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { recordFailure } from '../../platform/queue/claims.ts'
import {
  liftPause,
  pauseAutomatically,
  PROBE_SECONDS,
  readPauses,
  type AutomaticPause,
} from '../../platform/queue/pauses.ts'
import { type Claim, JobFailed } from '../../platform/queue/queue.ts'
import type { PortalError } from '../bitrix24/errors.ts'

/** Name of the queue that writes comments. */
export const WRITE_QUEUE = 'crm-write'

/** So many deals that refuse a comment in a row are no matter of theirs: the webhook may write into none. */
const DEALS_IN_A_ROW = 3

const DENIED = 'access.?denied'

/** A deal takes no comment, as the portal says of it: others may. */
export class CommentRefused extends JobFailed {
  readonly error: PortalError
  constructor(error: PortalError) {
    super(error.reason, true)
    this.error = error
  }
}

/** Whether a deal refuses its comment: by a code, or by words without one. */
export const isDealRefusal = ({ verdict, message }: PortalError): boolean =>
  verdict === 'denied' || (verdict === 'item' && new RegExp(DENIED, 'i').test(message))

/** Hashes the webhook for writing, which decides whether the portal accepts comments. */
export const writingCause = ({ CRM_WRITE_WEBHOOK_URL = '' }: Config): string =>
  sha256(CRM_WRITE_WEBHOOK_URL).toString('hex')

const pauseOf = (config: Config): AutomaticPause => ({ name: WRITE_QUEUE, cause: writingCause(config) })

/** Pauses the queue of comments after the portal rejected one, with the reason for an owner. */
export const noteRefused = (sql: Sql, config: Config, { reason, code }: PortalError): Promise<void> =>
  pauseAutomatically(sql, pauseOf(config), reason, code || 'ACCESS_DENIED')

/** Ends a pause that began before the portal accepted a comment read at `readAt`. */
export const noteWilling = ({ pool, config }: Core, readAt: Date): Promise<void> =>
  liftPause(pool, pauseOf(config), readAt)

/** Whether the portal has accepted no comment since it rejected some. */
export const isOnTrial = async (core: Core): Promise<boolean> =>
  (await readPauses(core)).get(WRITE_QUEUE)?.retryAt instanceof Date

/** Records a failed attempt; where deal after deal refuses, their comments wait instead, and all others with them. */
export function failComment(core: Core, claim: Claim, failure: JobFailed): Promise<AttemptOutcome> {
  return transaction(core.db, async (sql) => {
    const outcome = await recordFailure(sql, core.config, claim, failure)
    const isRow = outcome === 'failed' && failure instanceof CommentRefused && (await bringBack(sql))
    if (isRow) await noteRefused(sql, core.config, failure.error)
    return outcome
  })
}

/**
 * Has the comments that deals have refused in a row wait, behind whatever is planned until the portal is asked again: so
 * others show whether it takes any. Those refused a second time stay failed. @returns whether there are so many
 */
async function bringBack(sql: Sql): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `WITH refused AS (
             SELECT id, deal_id FROM crm_comments
              WHERE status = 'FAILED' AND attempts = 1 AND last_error ~* $1
                AND finished_at > coalesce((SELECT max(finished_at) FROM crm_comments WHERE status = 'SENT'), '-infinity'))
           UPDATE crm_comments SET status = 'QUEUED', started_at = NULL, finished_at = NULL,
                  next_attempt_at = now() + make_interval(secs => ${PROBE_SECONDS})
            WHERE id IN (SELECT id FROM refused) AND (SELECT count(DISTINCT deal_id) FROM refused) >= ${DEALS_IN_A_ROW}`,
    values: [DENIED],
  })
  return rowCount! > 0
}
