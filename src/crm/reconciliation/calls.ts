import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { escapeLike, Parameters, where, type Where } from '../../platform/lib/where.ts'
import { managersSeenBy } from '../../people/managers/visibility.ts'
import type { Page } from '../schema-parts.ts'
import type { CrmCallJson } from './schema.ts'
import { callsOf, readRange, type Narrowing } from './service.ts'
import { CALLER, CALLS, REASON, STATE, STATES, type CallState } from './states.ts'

interface CallsQuery extends Narrowing {
  manager?: string | undefined
  state?: CallState | undefined
  reason?: string | undefined
  page: number
  pageSize: number
}

/** Lists the calls behind a number of the reconciliation that the actor sees. @throws HttpError 400 */
export async function listCalls(core: Core, actor: Actor, query: CallsQuery): Promise<Page<CrmCallJson>> {
  const { state, reason, page, pageSize } = query
  const seen = managersSeenBy(actor)
  const p = new Parameters()
  const chosen = p.and([
    ...callsOf(readRange(query, core.config.APP_TIMEZONE), seen, query.department),
    ...ofCaller(query.manager),
    ...(state ? [{ sql: STATES[state], values: [] }] : []),
    ...where([`${REASON} = ?`, reason]),
  ])
  const counted = core.pool.query<{ total: number }>({
    text: `SELECT count(*)::int AS total FROM ${CALLS} WHERE ${chosen}`,
    values: [...p.values],
  })
  const visible = p.add(seen)
  const [{ rows: counts }, { rows }] = await Promise.all([
    counted,
    core.pool.query<Omit<CrmCallJson, 'startedAt'> & { startedAt: Date }>({
      text: `SELECT c.id, c.call_id AS "callId", c.started_at AS "startedAt", ${CALLER} AS manager, c.phone_number AS "phoneNumber",
                    c.duration_seconds AS "durationSeconds", ${STATE} AS state, ${REASON} AS reason,
                    CASE c.load_state WHEN 'failed' THEN c.load_error END AS error,
                    CASE WHEN ${visible}::uuid[] IS NULL OR r.manager_id = ANY (${visible}) THEN r.id END AS "recordingId"
               FROM ${CALLS} WHERE ${chosen}
              ORDER BY c.started_at DESC, c.id DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      values: p.values,
    }),
  ])
  const items = rows.map((row) => ({ ...row, startedAt: row.startedAt.toISOString() }))
  return { items, total: counts[0]!.total, page, pageSize }
}

/** Like the filter of recordings, but | does not separate names, because names of the CRM can contain it. */
function ofCaller(manager = ''): Where {
  const named = manager.trim()
  if (named === '') return []
  const whole = /^"(.*)"$/.exec(named)?.[1]
  if (whole === '') return [{ sql: `${CALLER} IS NULL`, values: [] }]
  if (whole !== undefined) return where([`${CALLER} = ?`, whole])
  return where([`folded_name(${CALLER}) LIKE folded_name(?) ESCAPE '!'`, `%${escapeLike(named)}%`])
}
