import type { Actor } from '../http/actor.ts'
import type { Core } from '../core.ts'
import { sha256 } from '../lib/crypto.ts'
import { getCurrentRequestTrace } from '../lib/log.ts'
import type { AuditReadAction } from './actions.ts'
import { INSERT_AUDIT_ENTRY_SQL, buildAuditEntryValues, type AuditObject } from './entries.ts'

/** Pages refresh and players seek, so repeated reads within this time share one entry. */
const SAME_READ_MINUTES = 10

/** Limits the cached reads. For evicted ones, the database prevents a second entry. */
const MAX_CACHED_READS = 10_000

/**
 * Records reads by people in the audit log, once per 10 minutes for the same session, address and parameters.
 * Reads by API keys are not recorded.
 */
export class AuditReadLog {
  private readonly recentReads = new Map<string, { until: number; written: Promise<void> }>()

  constructor(private readonly core: Pick<Core, 'pool'>) {}

  /** Stores the entry if it is new. Responses wait for it, so that no unrecorded read succeeds. */
  async record(
    actor: Actor,
    action: AuditReadAction,
    object: AuditObject | undefined,
    query: object | undefined,
  ): Promise<void> {
    if (actor.kind !== 'person') return
    const parameters = { ...query, ...(actor.viewer && { seeAs: actor.person.name }) }
    const sortedParameters = Object.fromEntries(Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)))
    const details = query || actor.viewer ? sortedParameters : undefined
    const session = actor.sessionHash.toString('base64')
    const address = getCurrentRequestTrace()?.address
    const readHash = sha256(JSON.stringify([session, address, action, object, details])).toString('base64')
    const cached = this.recentReads.get(readHash)
    if (cached && cached.until > performance.now()) return cached.written
    const written = this.insertUnlessRecorded(actor, action, object, details)
    this.cacheRead(readHash, written)
    await written.catch((error: unknown) => {
      this.recentReads.delete(readHash)
      throw error
    })
  }

  private cacheRead(readHash: string, written: Promise<void>): void {
    this.recentReads.delete(readHash) // move the entry to the end, because the map evicts the first one
    this.recentReads.set(readHash, { until: performance.now() + SAME_READ_MINUTES * 60_000, written })
    const [oldest] = this.recentReads.keys()
    if (this.recentReads.size > MAX_CACHED_READS) this.recentReads.delete(oldest!)
  }

  /** Inserts the entry unless the database has the same read from the last 10 minutes, for example by another process. */
  private async insertUnlessRecorded(
    actor: Actor,
    action: AuditReadAction,
    object?: AuditObject,
    details?: object,
  ): Promise<void> {
    await this.core.pool.query({
      text: `${INSERT_AUDIT_ENTRY_SQL}
              WHERE NOT EXISTS (
                SELECT FROM audit a
                 WHERE a.person_id = $3::uuid AND a.at > now() - make_interval(mins => ${SAME_READ_MINUTES})
                   AND a.action = $2::text AND a.object_type IS NOT DISTINCT FROM $8::text
                   AND a.object_id IS NOT DISTINCT FROM $9::text
                   AND a.details IS NOT DISTINCT FROM $11::jsonb AND a.address IS NOT DISTINCT FROM $12::text
                   AND a.session_id IS NOT DISTINCT FROM (SELECT s.id FROM sessions s WHERE s.token_hash = $15::bytea))`,
      values: buildAuditEntryValues(actor, { action, object, details }),
    })
  }
}
