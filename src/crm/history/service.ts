import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { formatLimitSql, listPageBySql, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { resumeWaitingPortalWork } from '../steps/failure.ts'
import { historyLoadMessages } from './messages.ts'
import type { HistoryLoadChange, HistoryLoadJson, HistoryLoadsPage } from './schema.ts'

interface LoadRow extends Omit<HistoryLoadJson, 'from' | 'to' | 'createdAt' | 'finishedAt'> {
  from: Date
  to: Date
  createdAt: Date
  finishedAt: Date | null
  messageJson: StoredReason | null
}

const SELECT_LOAD_SQL = `
  SELECT l.id, l.state, l.from_at AS "from", l.to_at AS "to", l.found::int, l.read_whole AS "readWhole", l.invalid_values::int AS "invalidValues", l.last_error AS "lastError",
         l.message_json AS "messageJson",
         l.created_at AS "createdAt", l.finished_at AS "finishedAt",
         count(*) FILTER (WHERE j.status = 'DONE' AND j.recording_id IS NOT NULL)::int AS loaded,
         (l.skipped + count(*) FILTER (WHERE j.status = 'DONE' AND j.recording_id IS NULL))::int AS skipped,
         count(*) FILTER (WHERE j.status = 'FAILED')::int AS failed,
         count(*) FILTER (WHERE j.status IN ('QUEUED', 'PROCESSING'))::int AS waiting
    FROM crm_history_loads l LEFT JOIN crm_load_jobs j ON j.history_load_id = l.id`

const toLoadJson = ({ messageJson, ...row }: LoadRow): HistoryLoadJson => ({
  ...row,
  lastError: formatReason(row.lastError, messageJson),
  from: row.from.toISOString(),
  to: row.to.toISOString(),
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
})

/** Lists the history loads with their progress, newest first. */
export async function listHistoryLoads({ pool }: Core, page: PageRequest): Promise<HistoryLoadsPage> {
  const order = 'l.created_at DESC, l.id DESC'
  const rows = `
    ${SELECT_LOAD_SQL} WHERE l.id IN (SELECT l.id FROM crm_history_loads l ORDER BY ${order} ${formatLimitSql(page)})
     GROUP BY l.id ORDER BY ${order}`
  const count = 'SELECT count(*)::int AS total FROM crm_history_loads'
  const found = await listPageBySql<LoadRow>(pool, { count, rows, values: [] }, page)
  return { ...found, items: found.items.map(toLoadJson) }
}

/** Loads a history load with its progress. @throws HttpError 404 */
export async function loadHistoryLoad(sql: Sql, id: string): Promise<HistoryLoadJson> {
  const { rows } = await sql.query<LoadRow>({ text: `${SELECT_LOAD_SQL} WHERE l.id = $1 GROUP BY l.id`, values: [id] })
  if (!rows[0]) throw notFoundError(historyLoadMessages.noLoad())
  return toLoadJson(rows[0])
}

/**
 * Starts the history load of an estimate.
 * @throws HttpError 409 if the estimate is unusable or another load has not ended
 */
export async function startHistoryLoad(core: Core, actor: Actor, estimateId: string): Promise<HistoryLoadJson> {
  const person = personOf(actor)
  return runInTransaction(core.db, async (sql) => {
    await lockLoads(sql)
    await assertEstimateUsable(sql, estimateId)
    await assertNoOtherLoad(sql)
    const id = generateId()
    await sql.query({
      text: `INSERT INTO crm_history_loads (id, estimate_id, state, from_at, to_at, person_id, person_name, cursor)
             SELECT $1, id, 'running', from_at, to_at, $3, $4,
                    jsonb_build_object('isOfAll', true, 'group', 0, 'lastId', 0, 'users', ARRAY(SELECT user_id FROM crm_roster))
               FROM crm_history_estimates WHERE id = $2`,
      values: [id, estimateId, person.id, person.name],
    })
    const load = await loadHistoryLoad(sql, id)
    await recordAuditChange(sql, actor, { action: 'crm.load', details: { after: { from: load.from, to: load.to } } })
    return load
  })
}

const lockLoads = (sql: Sql) => sql.query({ text: 'SELECT FROM crm_automation FOR UPDATE' })

/** @throws HttpError 409 if another load has not ended */
async function assertNoOtherLoad(sql: Sql): Promise<void> {
  const text = `SELECT FROM crm_history_loads WHERE state IN ('running', 'paused')`
  if ((await sql.query({ text })).rowCount) throw conflictError(historyLoadMessages.another())
}

/** @throws HttpError 409 if the estimate is missing, expired, used, or exceeds the free disk space */
async function assertEstimateUsable(sql: Sql, id: string): Promise<void> {
  const { rows } = await sql.query<{ allowed: boolean; stale: boolean; used: boolean }>({
    text: `SELECT allowed, expires_at < now() AS stale,
                  EXISTS (SELECT FROM crm_history_loads l WHERE l.estimate_id = e.id) AS used
             FROM crm_history_estimates e WHERE id = $1`,
    values: [id],
  })
  if (!rows[0]) throw conflictError(historyLoadMessages.noEstimate())
  if (rows[0].used) throw conflictError(historyLoadMessages.used())
  if (rows[0].stale) throw conflictError(historyLoadMessages.stale())
  if (!rows[0].allowed) throw conflictError(historyLoadMessages.refused())
}

const LOAD_TRANSITIONS = {
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused', 'failed'], to: 'running' },
  cancel: { from: ['running', 'paused', 'failed'], to: 'cancelled' },
} as const

/** Pauses, resumes or cancels a history load. @throws HttpError 404, 409 if its state does not allow the change */
export async function changeHistoryLoad(
  core: Core,
  actor: Actor,
  id: string,
  change: HistoryLoadChange,
): Promise<HistoryLoadJson> {
  const { from, to } = LOAD_TRANSITIONS[change]
  const changed = await runInTransaction(core.db, async (sql) => {
    if (change === 'resume') await lockLoads(sql)
    const before = await loadHistoryLoad(sql, id)
    if (change === 'resume' && before.state === 'failed') await assertNoOtherLoad(sql)
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET state = $2, due_at = now(), run_token = NULL, lease_until = NULL, last_error = NULL, failures = 0,
                    finished_at = CASE WHEN $2 = 'cancelled' THEN now() END
              WHERE id = $1 AND state = ANY ($3)`,
      values: [id, to, from],
    })
    if (rowCount !== 1) throw conflictError(historyLoadMessages.state({ state: before.state }))
    if (change === 'cancel') await cancelWaitingCalls(sql, id)
    if (change === 'resume') await resumeWaitingPortalWork(sql)
    const details = { before: { state: before.state }, after: { state: to } }
    await recordAuditChange(sql, actor, { action: `crm.load-${change}`, details })
    return loadHistoryLoad(sql, id)
  })
  if (change === 'resume') core.notify('crm-load')
  return changed
}

/** Calls that the cancelled load did not load yet become history again. */
async function cancelWaitingCalls(sql: Sql, id: string): Promise<void> {
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
