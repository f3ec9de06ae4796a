import type { Core } from '../../core.ts'
import { noteReason } from '../../queue/reasons.ts'
import { isOfPortal, type PortalError } from './errors.ts'
import type { Webhook } from './webhook.ts'

/** How often a portal that blocked us is looked at again. */
export const PROBE_SECONDS = 3600

/**
 * The portal lets us in no more: nothing is asked until an owner's check, or the hourly look, finds it willing again. What
 * is wrong with the webhook for writing alone stops no reading.
 */
export async function noteFatal(core: Core, webhook: Webhook, error: PortalError): Promise<void> {
  if (webhook.kind === 'write' && !isOfPortal(error)) return
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_automation SET state = 'blocked', reason_code = $1, reason = $2, changed_at = now(),
                  next_probe_at = now() + make_interval(secs => ${PROBE_SECONDS})
            WHERE state = 'on'`,
    values: [error.code, error.message],
  })
  if (!rowCount) return
  await noteReason(core.pool, error.reason)
  core.log.warn({ reason: error.message }, 'the CRM lets us in no more')
}
