import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import { claimNext, expiredClaims } from '../work.ts'
import { send } from './send.ts'
import { DELIVERY_WORK, readClaimed, recordOutcome } from './service.ts'

/** Sends the delivery that is due first, and answers whether there was one. The lease outlasts the time limit. */
export async function deliver(core: Core): Promise<boolean> {
  const claim = await claimNext(pool(core.db), DELIVERY_WORK)
  if (!claim) return false
  const delivery = await readClaimed(core, claim)
  if (delivery) await recordOutcome(core, claim, await send(core.config, claim.id, delivery))
  return true
}

/** A delivery whose worker died may or may not have arrived: it is sent again under the same id. */
export async function failExpiredDeliveries(core: Core): Promise<void> {
  for (const claim of await expiredClaims(pool(core.db), DELIVERY_WORK)) {
    const error = 'the worker stopped in the middle of the delivery'
    await recordOutcome(core, claim, { statusCode: null, error, durationMs: 0, verdict: 'retry' })
  }
}
