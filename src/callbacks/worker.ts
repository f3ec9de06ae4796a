import type { Core } from '../core.ts'
import { persistently, pool } from '../db.ts'
import { claimNext, takeExpired } from '../work.ts'
import { send } from './send.ts'
import { DELIVERY_WORK, readClaimed, recordOutcome, type Outcome } from './service.ts'

/** A recording that failed, was retried and cancelled may still have a delivery of its failure that waits. */
const NOT_SENT: Outcome = { statusCode: null, error: 'the recording was cancelled', durationMs: 0, verdict: 'refused' }

/** Sends the delivery that is due first, and answers whether there was one. The lease outlasts the time limit. */
export async function deliver(core: Core): Promise<boolean> {
  const claim = await claimNext(pool(core.db), DELIVERY_WORK)
  if (!claim) return false
  const delivery = await persistently(() => readClaimed(core, claim))
  if (!delivery) return true
  const outcome = delivery.isCancelled ? NOT_SENT : await send(core.config, claim.id, delivery)
  await persistently(() => recordOutcome(core, claim, outcome))
  return true
}

/** A delivery whose worker died may or may not have arrived: it is sent again under the same id. */
export async function failExpiredDeliveries(core: Core): Promise<void> {
  for (const claim of await takeExpired(pool(core.db), DELIVERY_WORK)) {
    const error = 'the worker stopped in the middle of the delivery'
    await recordOutcome(core, claim, { statusCode: null, error, durationMs: 0, verdict: 'retry' })
  }
}
