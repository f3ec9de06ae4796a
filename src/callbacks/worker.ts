import type { Core } from '../core.ts'
import { persistently } from '../db.ts'
import type { AttemptOutcome } from '../lib/metrics.ts'
import type { Claim } from '../queue/claims.ts'
import { ClaimLost, type Job, type JobFailed } from '../queue/queue.ts'
import { send } from './send.ts'
import { readClaimed, recordOutcome, type Outcome } from './service.ts'

/** A recording that failed and was retried may still have a delivery of its failure that waits: it must not be told. */
const NOT_SENT: Outcome = {
  statusCode: null,
  error: 'the recording was retried or cancelled since',
  durationMs: 0,
  verdict: 'refused',
}

/** Sends a delivery. It is not aborted by a stop: whether a receiver has it could not be told then. */
export async function deliver(core: Core, job: Job): Promise<Outcome> {
  const delivery = await persistently(() => readClaimed(core, job))
  if (!delivery) throw new ClaimLost()
  return delivery.isSuperseded ? NOT_SENT : send(core, job.id, delivery)
}

/** Records an attempt whose worker died, or that broke on our side. */
export function recordFailedDelivery(core: Core, claim: Claim, { message }: JobFailed): Promise<AttemptOutcome> {
  return recordOutcome(core, claim, { statusCode: null, error: message, durationMs: 0, verdict: 'retry' })
}
