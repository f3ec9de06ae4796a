import type { Core } from '../../platform/core.ts'
import { PROBE_SECONDS } from '../../platform/queue/pauses.ts'
import { noteReason } from '../../platform/queue/reasons.ts'
import { readingCause } from '../automation/state.ts'
import { isOfPortal, type PortalError } from './errors.ts'
import type { Webhook } from './webhook.ts'

/**
 * The portal lets us in no more: nothing is asked until an owner's check, or the hourly look, finds it willing again. What
 * is wrong with the webhook for writing alone stops no reading.
 */
export async function noteFatal(core: Core, webhook: Webhook, error: PortalError): Promise<void> {
  if (webhook.kind === 'write' && !isOfPortal(error)) return
  const { rowCount } = await core.pool.query({
    text: `UPDATE crm_automation SET state = 'blocked', reason_code = $1, reason = $2, changed_at = now(),
                  next_probe_at = now() + make_interval(secs => ${PROBE_SECONDS}), reason_cause = $3
            WHERE state = 'on'`,
    values: [error.code, error.message, readingCause(core.config)],
  })
  if (!rowCount) return
  await noteReason(core.pool, error.reason)
  core.log.warn({ reason: error.message }, 'the CRM lets us in no more')
}
