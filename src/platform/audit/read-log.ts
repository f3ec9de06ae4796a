import type { Actor } from '../http/actor.ts'
import type { Core } from '../core.ts'
import { sha256 } from '../lib/crypto.ts'
import { getCurrentRequest } from '../lib/log.ts'
import type { ReadAction } from './actions.ts'
import { INSERT_AUDIT_ENTRY_SQL, buildAuditEntryValues, type AuditObject } from './entries.ts'

/** Repeated reads by a person in a session from an address are one entry for this time: pages refresh, players seek. */
const SAME_READ_MINUTES = 10

/** The number of cached reads; older ones are looked up in the database again. */
const MAX_CACHED_READS = 10_000

/** Records what people read. Reads by keys are not recorded. */
export class ReadLog {
  private readonly recentReads = new Map<string, { until: number; written: Promise<void> }>()

  constructor(private readonly core: Pick<Core, 'pool'>) {}

  /** Resolves when the entry is stored: responses wait for it. */
  async record(
    actor: Actor,
    action: ReadAction,
    object: AuditObject | undefined,
    query: object | undefined,
  ): Promise<void> {
    if (actor.kind !== 'person') return
    const parameters = { ...query, ...(actor.viewer && { seeAs: actor.person.name }) }
    const sortedParameters = Object.fromEntries(Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)))
    const details = query || actor.viewer ? sortedParameters : undefined
    const session = actor.sessionHash.toString('base64')
    const address = getCurrentRequest()?.address
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
    this.recentReads.delete(readHash) // so that it goes to the end, the youngest
    this.recentReads.set(readHash, { until: performance.now() + SAME_READ_MINUTES * 60_000, written })
    const [oldest] = this.recentReads.keys()
    if (this.recentReads.size > MAX_CACHED_READS) this.recentReads.delete(oldest!)
  }

  /** Unless another process, or this one before a restart, has recorded the same. */
  private async insertUnlessRecorded(
    actor: Actor,
    action: ReadAction,
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
