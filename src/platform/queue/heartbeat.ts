import type { Core } from '../core.ts'
import { renewLease } from './claims.ts'
import { type Claim, ClaimLostError } from './queue.ts'

/** Heartbeats per lease by default: two can fail before another worker takes over. */
const HEARTBEATS_PER_LEASE = 3

/** The heartbeats of running work. */
interface LeaseRenewal {
  /** Aborted when another worker took over. */
  lost: AbortSignal
  stop: () => void
}

interface LeaseRenewalOptions {
  /** A third of the lease by default. */
  everySeconds?: number | undefined
  /** @returns whether the claim is still ours */
  renew: () => Promise<boolean>
  onTrouble: (error: Error) => void
  lostBy: () => Error
}

/** Renews a lease of any length until stopped. */
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

/** The heartbeat of a claimed job. */
export interface Heartbeat extends LeaseRenewal {
  /** Stored with the next heartbeat. */
  report: (progress: Record<string, unknown>) => void
}

/** Renews the lease of a claim until it is stopped or lost. */
export function startHeartbeat({ pool, log }: Core, claim: Claim): Heartbeat {
  const { name, leaseSeconds, heartbeatSeconds } = claim.queue
  let progress: Record<string, unknown> = {}
  const renewal = startLeaseRenewal(leaseSeconds, {
    everySeconds: heartbeatSeconds,
    renew: () => renewLease(pool, claim, progress),
    onTrouble: ({ message: reason }) => log.warn({ queue: name, jobId: claim.id, reason }, 'no heartbeat'),
    lostBy: () => new ClaimLostError(),
  })
  return { ...renewal, report: (reported) => void (progress = { ...progress, ...reported }) }
}
