import type { Core } from '../core.ts'
import { renewLease } from './claims.ts'
import { type Claim, ClaimLost } from './queue.ts'

/** Beats of a lease, unless more are asked for: two may fail before somebody else takes the work over. */
const BEATS = 3

/** Signs of life of work under way. */
interface Beats {
  /** Aborted when somebody took the work away. */
  lost: AbortSignal
  stop: () => void
}

interface BeatOptions {
  /** A third of the lease unless given. */
  everySeconds?: number | undefined
  /** @returns whether the work is still ours */
  renew: () => Promise<boolean>
  onTrouble: (error: Error) => void
  lostBy: () => Error
}

/** Keeps a lease alive, of whatever length, until stopped. */
export function startBeats(leaseSeconds: number, options: BeatOptions): Beats {
  const { everySeconds = leaseSeconds / BEATS, renew, onTrouble, lostBy } = options
  const lost = new AbortController()
  let beating = false
  const timer = setInterval(() => {
    if (beating) return
    beating = true
    renew()
      .then((held) => void (held || lost.abort(lostBy())))
      // A database that does not answer says nothing of the claim; the lease outlasts short failures.
      .catch(onTrouble)
      .finally(() => (beating = false))
  }, everySeconds * 1000)
  return { lost: lost.signal, stop: () => clearInterval(timer) }
}

/** The heartbeat of a claimed job. */
export interface Heartbeat extends Beats {
  /** Is stored with the next beat. */
  report: (progress: Record<string, unknown>) => void
}

export function startHeartbeat({ pool, log }: Core, claim: Claim): Heartbeat {
  const { name, leaseSeconds, heartbeatSeconds } = claim.queue
  let progress: Record<string, unknown> = {}
  const beats = startBeats(leaseSeconds, {
    everySeconds: heartbeatSeconds,
    renew: () => renewLease(pool, claim, progress),
    onTrouble: ({ message: reason }) => log.warn({ queue: name, jobId: claim.id, reason }, 'no heartbeat'),
    lostBy: () => new ClaimLost(),
  })
  return { ...beats, report: (reported) => void (progress = { ...progress, ...reported }) }
}
