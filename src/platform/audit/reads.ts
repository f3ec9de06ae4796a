import type { Actor } from '../http/actor.ts'
import type { Core } from '../core.ts'
import { sha256 } from '../lib/crypto.ts'
import { currentRequest } from '../lib/log.ts'
import type { ReadAction } from './actions.ts'
import { INSERT_ENTRY, valuesOf, type AuditObject } from './record.ts'

/** Repeated reads by a person in a session from an address are one entry for this time: pages refresh, players seek. */
const SAME_READ_MINUTES = 10

/** The number of cached reads; older ones are looked up in the database again. */
const MAX_REMEMBERED = 10_000

/** Records what people read. Reads by keys are not recorded. */
export class ReadLog {
  private readonly remembered = new Map<string, { until: number; written: Promise<void> }>()

  constructor(private readonly core: Pick<Core, 'pool'>) {}

  /** Resolves when the entry is stored: responses wait for it. */
  async note(
    actor: Actor,
    action: ReadAction,
    object: AuditObject | undefined,
    query: object | undefined,
  ): Promise<void> {
    if (actor.kind !== 'person') return
    const asked = { ...query, ...(actor.viewer && { seeAs: actor.person.name }) }
    const sorted = Object.fromEntries(Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1)))
    const details = query || actor.viewer ? sorted : undefined
    const session = actor.sessionHash.toString('base64')
    const address = currentRequest()?.address
    const read = sha256(JSON.stringify([session, address, action, object, details])).toString('base64')
    const known = this.remembered.get(read)
    if (known && known.until > performance.now()) return known.written
    const written = this.write(actor, action, object, details)
    this.remember(read, written)
    await written.catch((error: unknown) => {
      this.remembered.delete(read)
      throw error
    })
  }

  private remember(read: string, written: Promise<void>): void {
    this.remembered.delete(read) // so that it goes to the end, the youngest
    this.remembered.set(read, { until: performance.now() + SAME_READ_MINUTES * 60_000, written })
    const [oldest] = this.remembered.keys()
    if (this.remembered.size > MAX_REMEMBERED) this.remembered.delete(oldest!)
  }

  /** Unless another process, or this one before a restart, has recorded the same. */
  private async write(actor: Actor, action: ReadAction, object?: AuditObject, details?: object): Promise<void> {
    await this.core.pool.query({
      text: `${INSERT_ENTRY}
              WHERE NOT EXISTS (
                SELECT FROM audit a
                 WHERE a.person_id = $3::uuid AND a.at > now() - make_interval(mins => ${SAME_READ_MINUTES})
                   AND a.action = $2::text AND a.object_type IS NOT DISTINCT FROM $8::text
                   AND a.object_id IS NOT DISTINCT FROM $9::text
                   AND a.details IS NOT DISTINCT FROM $11::jsonb AND a.address IS NOT DISTINCT FROM $12::text
                   AND a.session_id IS NOT DISTINCT FROM (SELECT s.id FROM sessions s WHERE s.token_hash = $15::bytea))`,
      values: valuesOf(actor, { action, object, details }),
    })
  }
}
