import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../app/core.ts'
import { transaction, type Sql } from '../../platform/db/db.ts'
import { requeueFailed } from '../../platform/queue/claims.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { noteReason } from '../../platform/queue/reasons.ts'
import { isOn } from '../automation/state.ts'
import { noteBack } from '../calls/away.ts'
import { insertLoadedPeriod } from '../calls/periods.ts'
import { BY_ID, STATISTICS } from '../bitrix24/calls.ts'
import type { CallRow } from '../calls/rows.ts'
import { learnUsers } from '../calls/users.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { readBehind } from '../bitrix24/rows.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { askedFor, filterOf, type Period } from './estimate.ts'
import { storeLoaded } from './store.ts'

/** Longer than a request of the portal and the pause after it. */
const LEASE_SECONDS = 180

/** Position of a load. The previous release read by groups of users: its unfinished loads start over. */
interface Cursor {
  lastId: number
  /** Reads every call of the period, of all users. */
  isOfAll?: true
  group?: number
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
           RETURNING id, from_at AS "from", to_at AS "to", coalesce(cursor, '{}') AS cursor`,
    values: [token],
  })
  return rows[0] && { ...rows[0], token, cursor: cursorOf(rows[0].cursor) }
}

/** A worker of the previous release continues with the users of the roster, from the same id. */
const cursorOf = (cursor: Cursor): Cursor =>
  cursor.isOfAll ? cursor : { ...cursor, isOfAll: true, group: 0, lastId: 0 }

async function readPages(core: Core, load: ClaimedLoad): Promise<void> {
  const asking = {
    webhook: webhookOf(core.config, 'read')!,
    lane: 'history',
    signal: new AbortController().signal,
  } as const
  const list = {
    method: STATISTICS,
    params: { FILTER: filterOf(load) },
    filter: 'FILTER',
    id: 'ID',
    order: BY_ID,
  } as const
  let { lastId } = load.cursor
  for (;;) {
    const page = await readBehind(core, asking, list, lastId)
    const parsed = askedFor(core, load, page)
    await learnUsers(core, asking, parsed.values)
    if (!(await commitPage(core, load, parsed, { ...load.cursor, lastId: page.lastId }))) return
    if (page.isLast) return endReading(core, load)
    lastId = page.lastId
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

/** @returns false where the load was paused, cancelled or taken over */
async function commitPage(
  core: Core,
  { id, token }: ClaimedLoad,
  parsed: ParsedRows<CallRow>,
  cursor: Cursor,
): Promise<boolean> {
  const stands = await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE crm_history_loads SET cursor = $3, last_error = NULL, failures = 0,
                    lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
              WHERE id = $1 AND run_token = $2 AND state = 'running'`,
      values: [id, token, JSON.stringify(cursor)],
    })
    if (rowCount !== 1) return false
    await storeLoaded(core, sql, id, parsed)
    await noteBack(sql)
    return true
  })
  if (stands) core.notify('crm-load')
  return stands
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
