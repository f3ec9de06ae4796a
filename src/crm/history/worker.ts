import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../core.ts'
import { transaction, type Sql } from '../../db.ts'
import { requeueFailed } from '../../queue/claims.ts'
import type { Queue } from '../../queue/queue.ts'
import { noteReason } from '../../queue/reasons.ts'
import { isOn } from '../automation/state.ts'
import { noteBack } from '../calls/away.ts'
import { readRules } from '../calls/eligible.ts'
import { BY_ID, STATISTICS } from '../calls/read.ts'
import { storeCalls, type CallRow } from '../calls/rows.ts'
import { CrmNotOn, PortalError } from '../portal/errors.ts'
import { readBehind } from '../portal/rows.ts'
import { webhookOf } from '../portal/webhook.ts'
import { askedFor, filterOf, inGroups, type Period } from './estimate.ts'

/** Longer than a request of the portal and the pause after it. */
const LEASE_SECONDS = 180

/** How far a load is: behind which id, of which group of the users that it is of. */
interface Cursor {
  group: number
  lastId: number
  /** As the roster was when it began, because the groups follow from it; a load of a release before has none. */
  users?: string[]
}

interface ClaimedLoad extends Period {
  id: string
  token: string
  cursor: Cursor
}

/** Reads the calls of a load page by page, each page committed with its cursor, and ends loads whose calls are here. */
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
    await noteFailure(core, load, error)
  }
}

/** Pauses after failures are doubled up to this. */
const LONGEST_PAUSE_SECONDS = 3600

/** What no further try can mend ends the load, which an owner may let go on; a pause or switch of an owner is no failure. */
async function noteFailure(core: Core, { id, token }: ClaimedLoad, error: PortalError | CrmNotOn): Promise<void> {
  const isFailure = error instanceof PortalError && error.verdict !== 'operating' && error.verdict !== 'blocked'
  const isHopeless = error instanceof PortalError && ['attention', 'denied', 'item'].includes(error.verdict)
  await core.pool.query({
    text: `UPDATE crm_history_loads SET run_token = NULL, lease_until = NULL, last_error = $3,
                  state = CASE WHEN $5 AND state = 'running' THEN 'failed' ELSE state END, failures = failures + $6::boolean::int,
                  due_at = now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, $4 * power(2, least(failures, 12))))
            WHERE id = $1 AND run_token = $2`,
    values: [id, token, error.message, core.config.CRM_FETCH_RETRY_DELAY_SECONDS, isHopeless, isFailure],
  })
}

async function claimLoad(core: Core): Promise<ClaimedLoad | undefined> {
  const token = randomUUID()
  const { rows } = await core.pool.query<Omit<ClaimedLoad, 'token'>>({
    text: `UPDATE crm_history_loads SET run_token = $1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), last_run_at = now()
            WHERE id = (SELECT id FROM crm_history_loads WHERE state = 'running' AND NOT read_whole AND due_at <= now()
                           AND (lease_until IS NULL OR lease_until < now()) ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING id, from_at AS "from", to_at AS "to", coalesce(cursor, '{"group": 0, "lastId": 0}') AS cursor`,
    values: [token],
  })
  return rows[0] && { ...rows[0], token }
}

async function readPages(core: Core, load: ClaimedLoad): Promise<void> {
  const asking = {
    webhook: webhookOf(core.config, 'read')!,
    lane: 'history',
    signal: new AbortController().signal,
  } as const
  const users = load.cursor.users ?? [...(await readRules(core.pool)).roster]
  const groups = inGroups(users)
  let { group, lastId } = load.cursor
  while (group < groups.length) {
    const params = { FILTER: filterOf(load, groups[group]!) }
    const list = { method: STATISTICS, params, filter: 'FILTER', id: 'ID', order: BY_ID } as const
    const page = await readBehind(core, asking, list, lastId)
    const next = page.isLast ? { group: group + 1, lastId: 0 } : { group, lastId: page.lastId }
    const calls = askedFor(load, groups[group]!, page.rows, core.config.CRM_PHONE_COUNTRIES)
    if (!(await commitPage(core, load, calls, { ...next, users }))) return
    ;({ group, lastId } = next)
    if (group < groups.length) await pause(core.config.CRM_EXPORT_PAUSE_SECONDS * 1000)
  }
  await core.pool.query({
    text: `UPDATE crm_history_loads SET read_whole = true, run_token = NULL, lease_until = NULL, last_error = NULL
            WHERE id = $1 AND run_token = $2`,
    values: [load.id, load.token],
  })
}

/** @returns false where the load was paused, cancelled or taken over */
async function commitPage(core: Core, { id, token }: ClaimedLoad, calls: CallRow[], cursor: Cursor): Promise<boolean> {
  const stands = await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET cursor = $3, found = found + $4, last_error = NULL, failures = 0,
                    lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
              WHERE id = $1 AND run_token = $2 AND state = 'running'`,
      values: [id, token, JSON.stringify(cursor), calls.length],
    })
    if (rowCount !== 1) return false
    await storeCalls(sql, calls, id)
    const queued = await queueLoads(sql, id, calls)
    const text = 'UPDATE crm_history_loads SET skipped = skipped + $2 WHERE id = $1'
    await sql.query({ text, values: [id, calls.length - queued] })
    await noteBack(sql)
    return true
  })
  if (stands) core.notify('crm-load')
  return stands
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

/** Their rows are locked before their jobs are counted: a retry of failed ones, which locks them too, is seen whole or not at all. */
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

/** Makes calls that were given up due again; the loads that had ended without them go on. */
export async function retryFailedCalls(sql: Sql, queue: Queue): Promise<number> {
  await sql.query({ text: `SELECT FROM crm_history_loads WHERE state IN ('running', 'done') ORDER BY id FOR UPDATE` })
  const retried = await requeueFailed(sql, queue)
  await sql.query({
    text: `UPDATE crm_history_loads SET state = 'running', finished_at = NULL
            WHERE state = 'done' AND id IN (SELECT history_load_id FROM crm_load_jobs WHERE status = 'QUEUED')`,
  })
  return retried
}
