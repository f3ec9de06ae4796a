import type { Core } from '../core.ts'
import { renewJobLease } from './claims.ts'
import { type JobClaim, JobClaimLostError } from './queue.ts'

/** With three heartbeats per lease, two can fail before another worker takes over. */
const HEARTBEATS_PER_LEASE = 3

interface LeaseRenewal {
  /** Aborts when the claim is lost, for example to another worker or by cancellation. */
  lost: AbortSignal
  stop: () => void
}

interface LeaseRenewalOptions {
  /** Seconds between renewals; a third of the lease by default. */
  everySeconds?: number | undefined
  /** @returns false if the claim is lost */
  renew: () => Promise<boolean>
  onTrouble: (error: Error) => void
  lostBy: () => Error
}

/** Renews a lease periodically until stop() is called. If the claim is lost, aborts `lost` with the error of lostBy(). */
export function startLeaseRenewal(leaseSeconds: number, options: LeaseRenewalOptions): LeaseRenewal {
  const { everySeconds = leaseSeconds / HEARTBEATS_PER_LEASE, renew, onTrouble, lostBy } = options
  const lost = new AbortController()
  let isRenewing = false
  const timer = setInterval(() => {
    if (isRenewing) return
    isRenewing = true
    renew()
      .then((isOwned) => void (isOwned || lost.abort(lostBy())))
      // A database that does not respond proves nothing about the claim; the lease outlasts short failures.
      .catch(onTrouble)
      .finally(() => (isRenewing = false))
  }, everySeconds * 1000)
  return { lost: lost.signal, stop: () => clearInterval(timer) }
}

/** Renews the lease of a job and stores its progress. */
export interface JobHeartbeat extends LeaseRenewal {
  /** Stores these progress columns with the next heartbeat. */
  report: (progress: Record<string, unknown>) => void
}

/** Starts the lease renewal of a job. Stop it after the outcome is stored. */
export function startJobHeartbeat({ pool, log }: Core, claim: JobClaim): JobHeartbeat {
  const { name, leaseSeconds, heartbeatSeconds } = claim.queue
  let progress: Record<string, unknown> = {}
  const renewal = startLeaseRenewal(leaseSeconds, {
    everySeconds: heartbeatSeconds,
    renew: () => renewJobLease(pool, claim, progress),
    onTrouble: ({ message: reason }) => log.warn({ queue: name, jobId: claim.id, reason }, 'the heartbeat failed'),
    lostBy: () => new JobClaimLostError(),
  })
  return { ...renewal, report: (reported) => void (progress = { ...progress, ...reported }) }
}
