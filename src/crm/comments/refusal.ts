import type { Core } from '../../core.ts'
import { noteReason } from '../../queue/reasons.ts'
import type { PortalError } from '../portal/errors.ts'

/** How soon a portal that takes no comments is asked again by itself. */
const ASKED_AGAIN_AFTER = `interval '1 hour'`

/** Whether no comment at all can be written: the webhook for writing lets us in no more, or lacks a right. */
export const isRefusal = ({ verdict, message }: PortalError): boolean =>
  verdict === 'blocked' || verdict === 'denied' || (verdict === 'item' && /access denied/i.test(message))

/** Keeps why the portal takes no comments, for an owner; until it is asked again, comments wait. */
export async function noteRefused(core: Core, error: PortalError): Promise<void> {
  if (!isRefusal(error)) return
  await noteReason(core.pool, error.reason)
  await core.pool.query({
    text: `UPDATE crm_automation SET writing_reason_code = $1, writing_reason = $2, writing_retry_at = now() + ${ASKED_AGAIN_AFTER}`,
    values: [error.code || 'ACCESS_DENIED', error.message],
  })
}

/** A comment was taken: whatever was refused before is mended. */
export async function noteWilling({ pool }: Core): Promise<void> {
  await pool.query({
    text: `UPDATE crm_automation SET writing_reason_code = NULL, writing_reason = NULL, writing_retry_at = NULL
            WHERE writing_reason IS NOT NULL`,
  })
}
