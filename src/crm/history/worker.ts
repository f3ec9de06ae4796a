import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { requeueFailed } from '../../platform/queue/claims.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { noteReason } from '../../platform/queue/reasons.ts'
import { isOn } from '../automation/state.ts'
import { fetchCallsAfter, type CallRow, type Period } from '../bitrix24/calls.ts'
import { readingAs } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { insertLoadedPeriod } from '../calls/periods.ts'
import { storeCalls } from '../calls/rows.ts'
import { fetchUnknownUsers } from '../steps/full-pass.ts'
import type { Counts } from '../quarantine/store.ts'
import { markPortalUp, nextTry } from '../steps/failure.ts'

/** Longer than a request and the pause after it. */
const LEASE_SECONDS = 180

interface Cursor {
  lastId: number
  /** Set by releases that read the calls of all users. Loads of earlier ones, which read groups of users, start over. */
  isOfAll?: true
}

interface ClaimedLoad extends Period {
  id: string
  token: string
  cursor: Cursor
}

export async function workHistory(core: Core): Promise<void> {
  await endLoads(core)
  if (!core.config.CRM_WEBHOOK_URL || !(await isOn(core))) return
  const load = await claimLoad(core)
  if (!load) return
  try {
    await readPages(core, load)
  } catch (error) {
    if (!(error instanceof PortalError || error instanceof CrmNotOn)) throw error
    await noteReason(core.pool, error.reason)
    await recordLoadFailure(core, load, error)
  }
}

/** Schedules the next try. A permanent error ends the load until an owner resumes it; a pause by an owner is no failure. */
async function recordLoadFailure(core: Core, { id, token }: ClaimedLoad, error: PortalError | CrmNotOn): Promise<void> {
  const verdict = error instanceof PortalError ? error.verdict : undefined
  const isFailure = verdict !== undefined && verdict !== 'operating' && verdict !== 'blocked'
  const isPermanent = verdict === 'attention' || verdict === 'denied' || verdict === 'item'
  await core.pool.query({
    text: `UPDATE crm_history_loads SET run_token = NULL, lease_until = NULL, last_error = $3, due_at = ${nextTry('$4')},
                  state = CASE WHEN $5 AND state = 'running' THEN 'failed' ELSE state END, failures = failures + $6::boolean::int
            WHERE id = $1 AND run_token = $2`,
    values: [id, token, error.message, core.config.CRM_FETCH_RETRY_DELAY_SECONDS, isPermanent, isFailure],
  })
}

async function claimLoad(core: Core): Promise<ClaimedLoad | undefined> {
  const token = randomUUID()
  const { rows } = await core.pool.query<Omit<ClaimedLoad, 'token'>>({
    text: `UPDATE crm_history_loads SET run_token = $1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), last_run_at = now()
            WHERE id = (SELECT id FROM crm_history_loads WHERE state = 'running' AND NOT read_whole AND due_at <= now()
                           AND (lease_until IS NULL OR lease_until < now()) ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING id, from_at AS "from", to_at AS "to",
             CASE WHEN cursor ? 'isOfAll' THEN cursor
                  ELSE coalesce(cursor, '{}') || '{"isOfAll": true, "group": 0, "lastId": 0}' END AS cursor`,
    values: [token],
  })
  return rows[0] && { ...rows[0], token }
}

async function readPages(core: Core, load: ClaimedLoad): Promise<void> {
  const asking = readingAs(core, 'history', new AbortController().signal)
  let { lastId } = load.cursor
  for (;;) {
    const page = await fetchCallsAfter(core, asking, load, lastId)
    await fetchUnknownUsers(core, asking, page.calls.values)
    lastId = page.lastId
    if (!(await commitPage(core, load, page.calls, { ...load.cursor, lastId }))) return
    if (page.isLast) return endReading(core, load)
    await pause(core.config.CRM_EXPORT_PAUSE_SECONDS * 1000)
  }
}

async function endReading(core: Core, { id, token }: ClaimedLoad): Promise<void> {
  await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET read_whole = true, run_token = NULL, lease_until = NULL, last_error = NULL
              WHERE id = $1 AND run_token = $2`,
      values: [id, token],
    })
    if (rowCount === 1) await insertLoadedPeriod(sql, id)
  })
}

/** @returns false if the load was paused, cancelled or taken over */
async function commitPage(
  core: Core,
  { id, token }: ClaimedLoad,
  calls: ParsedRows<CallRow>,
  cursor: Cursor,
): Promise<boolean> {
  const isHeld = await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET cursor = $3, last_error = NULL, failures = 0,
                    lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
              WHERE id = $1 AND run_token = $2 AND state = 'running'`,
      values: [id, token, JSON.stringify(cursor)],
    })
    if (rowCount !== 1) return false
    await storeLoaded(core, sql, id, calls)
    await markPortalUp(sql)
    return true
  })
  if (isHeld) core.notify('crm-load')
  return isHeld
}

/** Locks the loads before it counts their jobs, so that a retry of failed ones, which locks them too, is seen as a whole. */
async function endLoads(core: Core): Promise<void> {
  await transaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT id FROM crm_history_loads WHERE state = 'running' AND read_whole FOR UPDATE SKIP LOCKED`,
    })
    if (rows.length === 0) return
    await sql.query({
      text: `UPDATE crm_history_loads l SET state = 'done', finished_at = now()
              WHERE id = ANY ($1) AND NOT EXISTS (
                SELECT FROM crm_load_jobs j WHERE j.history_load_id = l.id AND j.status IN ('QUEUED', 'PROCESSING'))`,
      values: [rows.map(({ id }) => id)],
    })
  })
}

/** Requeues failed calls; loads that had ended without them resume. */
export async function retryFailedCalls(sql: Sql, queue: Queue): Promise<number> {
  await sql.query({ text: `SELECT FROM crm_history_loads WHERE state IN ('running', 'done') ORDER BY id FOR UPDATE` })
  const retried = await requeueFailed(sql, queue)
  await sql.query({
    text: `UPDATE crm_history_loads SET state = 'running', finished_at = NULL
            WHERE state = 'done' AND id IN (SELECT history_load_id FROM crm_load_jobs WHERE status = 'QUEUED')`,
  })
  return retried
}

/** Stores calls of a history load and queues those that it loads. A load that had ended without them continues. */
export async function storeLoaded(
  { config }: Core,
  sql: Sql,
  id: string,
  parsed: ParsedRows<CallRow>,
): Promise<Counts> {
  const calls = parsed.values
  const counts = await storeCalls(sql, config, parsed, id)
  const queued = await queueLoads(sql, id, calls)
  await sql.query({
    text: `UPDATE crm_history_loads SET found = found + $2, skipped = skipped + $2 - $3, invalid_values = invalid_values + $4,
                  state = CASE WHEN state = 'done' AND $3 > 0 THEN 'running' ELSE state END,
                  finished_at = CASE WHEN state = 'done' AND $3 > 0 THEN NULL ELSE finished_at END
            WHERE id = $1`,
    values: [id, calls.length, queued, counts.invalid],
  })
  return counts
}

async function queueLoads(sql: Sql, id: string, calls: CallRow[]): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_load_jobs (history_load_id, call_id, priority)
           SELECT DISTINCT $1::uuid, c.call_id, 0 FROM crm_calls c
            WHERE c.id = ANY ($2::bigint[]) AND c.load_state = 'waiting' AND c.history_load_id = $1
           ON CONFLICT DO NOTHING`,
    values: [id, calls.map((call) => call.id)],
  })
  return rowCount ?? 0
}
