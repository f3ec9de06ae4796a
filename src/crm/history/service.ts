import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { limitOf, queryPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { markPortalUp } from '../steps/failure.ts'
import { historyMessages } from './messages.ts'
import type { LoadChange, LoadJson, LoadsPage } from './schema.ts'

interface LoadRow extends Omit<LoadJson, 'from' | 'to' | 'createdAt' | 'finishedAt'> {
  from: Date
  to: Date
  createdAt: Date
  finishedAt: Date | null
  messageJson: StoredReason | null
}

const SELECT_LOAD = `
  SELECT l.id, l.state, l.from_at AS "from", l.to_at AS "to", l.found::int, l.read_whole AS "readWhole", l.invalid_values::int AS "invalidValues", l.last_error AS "lastError",
         l.message_json AS "messageJson",
         l.created_at AS "createdAt", l.finished_at AS "finishedAt",
         count(*) FILTER (WHERE j.status = 'DONE' AND j.recording_id IS NOT NULL)::int AS loaded,
         (l.skipped + count(*) FILTER (WHERE j.status = 'DONE' AND j.recording_id IS NULL))::int AS skipped,
         count(*) FILTER (WHERE j.status = 'FAILED')::int AS failed,
         count(*) FILTER (WHERE j.status IN ('QUEUED', 'PROCESSING'))::int AS waiting
    FROM crm_history_loads l LEFT JOIN crm_load_jobs j ON j.history_load_id = l.id`

const presentLoad = ({ messageJson, ...row }: LoadRow): LoadJson => ({
  ...row,
  lastError: formatReason(row.lastError, messageJson),
  from: row.from.toISOString(),
  to: row.to.toISOString(),
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
})

/** A page of the loads, the newest first. */
export async function listLoads({ pool }: Core, page: PageRequest): Promise<LoadsPage> {
  const order = 'l.created_at DESC, l.id DESC'
  const rows = `
    ${SELECT_LOAD} WHERE l.id IN (SELECT l.id FROM crm_history_loads l ORDER BY ${order} ${limitOf(page)})
     GROUP BY l.id ORDER BY ${order}`
  const count = 'SELECT count(*)::int AS total FROM crm_history_loads'
  const found = await queryPage<LoadRow>(pool, { count, rows, values: [] }, page)
  return { ...found, items: found.items.map(presentLoad) }
}

/** @throws HttpError 404 */
export async function findLoad(sql: Sql, id: string): Promise<LoadJson> {
  const { rows } = await sql.query<LoadRow>({ text: `${SELECT_LOAD} WHERE l.id = $1 GROUP BY l.id`, values: [id] })
  if (!rows[0]) throw notFound(historyMessages.noLoad())
  return presentLoad(rows[0])
}

/** Starts the load of an estimate. @throws HttpError 409 */
export async function startLoad(core: Core, actor: Actor, estimateId: string): Promise<LoadJson> {
  const person = personOf(actor)
  return transaction(core.db, async (sql) => {
    await lockLoads(sql)
    await refuseEstimate(sql, estimateId)
    await refuseSecond(sql)
    const id = newId()
    await sql.query({
      text: `INSERT INTO crm_history_loads (id, estimate_id, state, from_at, to_at, person_id, person_name, cursor)
             SELECT $1, id, 'running', from_at, to_at, $3, $4,
                    jsonb_build_object('isOfAll', true, 'group', 0, 'lastId', 0, 'users', ARRAY(SELECT user_id FROM crm_roster))
               FROM crm_history_estimates WHERE id = $2`,
      values: [id, estimateId, person.id, person.name],
    })
    const load = await findLoad(sql, id)
    await recordChange(sql, actor, { action: 'crm.load', details: { after: { from: load.from, to: load.to } } })
    return load
  })
}

const lockLoads = (sql: Sql) => sql.query({ text: 'SELECT FROM crm_automation FOR UPDATE' })

/** @throws HttpError 409 if another load has not ended */
async function refuseSecond(sql: Sql): Promise<void> {
  const text = `SELECT FROM crm_history_loads WHERE state IN ('running', 'paused')`
  if ((await sql.query({ text })).rowCount) throw conflict(historyMessages.another())
}

/** @throws HttpError 409 if it is missing, stale, refused or used */
async function refuseEstimate(sql: Sql, id: string): Promise<void> {
  const { rows } = await sql.query<{ allowed: boolean; stale: boolean; used: boolean }>({
    text: `SELECT allowed, expires_at < now() AS stale,
                  EXISTS (SELECT FROM crm_history_loads l WHERE l.estimate_id = e.id) AS used
             FROM crm_history_estimates e WHERE id = $1`,
    values: [id],
  })
  if (!rows[0]) throw conflict(historyMessages.noEstimate())
  if (rows[0].used) throw conflict(historyMessages.used())
  if (rows[0].stale) throw conflict(historyMessages.stale())
  if (!rows[0].allowed) throw conflict(historyMessages.refused())
}

const CHANGES = {
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused', 'failed'], to: 'running' },
  cancel: { from: ['running', 'paused', 'failed'], to: 'cancelled' },
} as const

/** @throws HttpError 404, 409 */
export async function changeLoad(core: Core, actor: Actor, id: string, change: LoadChange): Promise<LoadJson> {
  const { from, to } = CHANGES[change]
  const changed = await transaction(core.db, async (sql) => {
    if (change === 'resume') await lockLoads(sql)
    const before = await findLoad(sql, id)
    if (change === 'resume' && before.state === 'failed') await refuseSecond(sql)
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET state = $2, due_at = now(), run_token = NULL, lease_until = NULL, last_error = NULL, failures = 0,
                    finished_at = CASE WHEN $2 = 'cancelled' THEN now() END
              WHERE id = $1 AND state = ANY ($3)`,
      values: [id, to, from],
    })
    if (rowCount !== 1) throw conflict(historyMessages.state({ state: before.state }))
    if (change === 'cancel') await forgetWaiting(sql, id)
    if (change === 'resume') await markPortalUp(sql)
    const details = { before: { state: before.state }, after: { state: to } }
    await recordChange(sql, actor, { action: `crm.load-${change}`, details })
    return findLoad(sql, id)
  })
  if (change === 'resume') core.notify('crm-load')
  return changed
}

/** Calls that a cancelled load would have loaded are history again. */
async function forgetWaiting(sql: Sql, id: string): Promise<void> {
  await sql.query({
    text: `UPDATE crm_load_jobs SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
            WHERE history_load_id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
    values: [id],
  })
  await sql.query({
    text: `UPDATE crm_calls SET load_state = 'skipped', skip_reason = 'before-automation', history_load_id = NULL
            WHERE history_load_id = $1 AND load_state IN ('waiting', 'loading')`,
    values: [id],
  })
}
