import type { Core } from '../core.ts'
import { renewLease, type Claim } from './claims.ts'
import { ClaimLost } from './queue.ts'

/** Keeps a claim alive for as long as its job runs, whatever the length of the lease. */
export interface Heartbeat {
  /** Aborted with ClaimLost when somebody took the claim away. */
  lost: AbortSignal
  /** Is stored with the next beat. */
  report: (progress: Record<string, unknown>) => void
  stop: () => void
}

/** Beats of a lease, unless the queue asks for more: two may fail before somebody else rescues the job. */
const BEATS = 3

/** Starts a claim's heartbeat. */
export function startHeartbeat({ pool, log }: Core, claim: Claim): Heartbeat {
  const { name, leaseSeconds, heartbeatSeconds = leaseSeconds / BEATS } = claim.queue
  const lost = new AbortController()
  let progress: Record<string, unknown> = {}
  let beating = false
  const timer = setInterval(() => {
    if (beating) return
    beating = true
    renewLease(pool, claim, progress)
      .then((held) => void (held || lost.abort(new ClaimLost())))
      // A database that does not answer says nothing of the claim; the lease outlasts short faults.
      .catch((error: Error) => log.warn({ queue: name, jobId: claim.id, reason: error.message }, 'no heartbeat'))
      .finally(() => (beating = false))
  }, heartbeatSeconds * 1000)
  return {
    lost: lost.signal,
    report: (reported) => void (progress = { ...progress, ...reported }),
    stop: () => clearInterval(timer),
  }
}
