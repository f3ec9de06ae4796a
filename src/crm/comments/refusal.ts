import type { Core } from '../../core.ts'
import { transaction, type Sql } from '../../db.ts'
import type { AttemptOutcome } from '../../lib/metrics.ts'
import { recordFailure, type Claim } from '../../queue/claims.ts'
import { JobFailed } from '../../queue/queue.ts'
import { noteReason } from '../../queue/reasons.ts'
import type { PortalError } from '../portal/errors.ts'

/** How soon a portal that takes no comments is asked again by itself, in seconds. */
export const ASKED_AGAIN_AFTER = 3600

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

/** Keeps why the portal takes no comments, for an owner; until it is asked again, comments wait. */
export async function noteRefused(sql: Sql, { reason, code, message }: PortalError): Promise<void> {
  await noteReason(sql, reason)
  await sql.query({
    text: `UPDATE crm_automation SET writing_reason_code = $1, writing_reason = $2,
                  writing_retry_at = now() + make_interval(secs => ${ASKED_AGAIN_AFTER})`,
    values: [code || 'ACCESS_DENIED', message],
  })
}

/** A comment was taken: whatever was refused before is mended. */
export async function noteWilling({ pool }: Core): Promise<void> {
  await pool.query({
    text: `UPDATE crm_automation SET writing_reason_code = NULL, writing_reason = NULL, writing_retry_at = NULL
            WHERE writing_reason IS NOT NULL`,
  })
}

/** Whether the portal is asked after a refusal, and has taken no comment since. */
export async function isOnTrial({ pool }: Core): Promise<boolean> {
  const { rowCount } = await pool.query({ text: 'SELECT FROM crm_automation WHERE writing_reason IS NOT NULL' })
  return rowCount === 1
}

/** Records a failed attempt; where deal after deal refuses, their comments wait instead, and all others with them. */
export function failComment(core: Core, claim: Claim, failure: JobFailed): Promise<AttemptOutcome> {
  return transaction(core.db, async (sql) => {
    const outcome = await recordFailure(sql, core.config, claim, failure)
    const isRow = outcome === 'failed' && failure instanceof CommentRefused && (await bringBack(sql))
    if (isRow) await noteRefused(sql, failure.error)
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
                  next_attempt_at = now() + make_interval(secs => ${ASKED_AGAIN_AFTER})
            WHERE id IN (SELECT id FROM refused) AND (SELECT count(DISTINCT deal_id) FROM refused) >= ${DEALS_IN_A_ROW}`,
    values: [DENIED],
  })
  return rowCount! > 0
}
