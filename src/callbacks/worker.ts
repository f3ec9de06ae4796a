import type { Core } from '../core.ts'
import { persistently, pool } from '../db.ts'
import { observeAttempt } from '../lib/metrics.ts'
import { claimJob, doubtLongWaits, rescueExpired, type Claim } from '../queue/claims.ts'
import { send } from './send.ts'
import { DELIVERY_ATTEMPTS, DELIVERY_WORK, readClaimed, recordOutcome, type Outcome } from './service.ts'

/** A recording that failed and was retried may still have a delivery of its failure that waits: it must not be told. */
const NOT_SENT: Outcome = {
  statusCode: null,
  error: 'the recording was retried or cancelled since',
  durationMs: 0,
  verdict: 'refused',
}

/** Claims the delivery that is due first; carrying it out sends it. The lease outlasts the time limit. */
export async function deliverNext(core: Core): Promise<(() => Promise<boolean>) | undefined> {
  const claim = await claimJob(pool(core.db), DELIVERY_WORK)
  return claim && (() => deliver(core, claim))
}

async function deliver(core: Core, claim: Claim): Promise<boolean> {
  const delivery = await persistently(() => readClaimed(core, claim))
  if (!delivery) return true
  const outcome = delivery.isSuperseded ? NOT_SENT : await send(core.config, claim.id, delivery)
  const stood = await persistently(() => recordOutcome(core, claim, outcome))
  const isFinal = outcome.verdict === 'refused' || claim.attempt >= DELIVERY_ATTEMPTS
  const how = outcome.verdict === 'accepted' ? 'done' : isFinal ? 'failed' : 'retry'
  observeAttempt('callbacks', stood ? how : 'lost', outcome.durationMs / 1000)
  return true
}

/** A delivery whose worker died may or may not have arrived: it is sent again under the same id. */
export async function failExpiredDeliveries(core: Core): Promise<void> {
  for (const claim of await rescueExpired(pool(core.db), DELIVERY_WORK)) {
    const error = 'the worker stopped in the middle of the delivery'
    await recordOutcome(core, claim, { statusCode: null, error, durationMs: 0, verdict: 'retry' })
  }
}

/** Where the clock of the database was set back, deliveries would wait until it is there again. */
export async function doubtWaitsOfDeliveries({ config, db, log }: Core): Promise<void> {
  const pause = config.CALLBACK_RETRY_DELAY_SECONDS
  const count = await doubtLongWaits(pool(db), DELIVERY_WORK, pause, DELIVERY_ATTEMPTS)
  if (count > 0) log.warn({ queue: 'callbacks', count }, 'the clock of the database was set back')
}
