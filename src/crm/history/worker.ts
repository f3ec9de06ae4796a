import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { requeueFailedJobs } from '../../platform/queue/claims.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { StepRunLostError, runStep, type Step } from '../../platform/queue/steps.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { fetchPortalCallsAfterId, type CrmCallRow, type CallTimePeriod } from '../bitrix24/calls.ts'
import { createPortalReadAccess } from '../bitrix24/client.ts'
import { CrmAutomationOffError, PortalError, PortalFailure } from '../bitrix24/errors.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import { insertHistoryReadPeriod } from '../calls/read-periods.ts'
import { storeCrmCalls } from '../calls/store-calls.ts'
import { loadUnknownPortalUsers } from '../steps/full-pass.ts'
import { crmMessages } from '../messages.ts'
import { resumeWaitingPortalWork, nextRetryTimeSql } from '../steps/failure.ts'

interface Cursor {
  lastId: number
  /** Loads of earlier releases read the calls of groups of users. They start over without this mark. */
  isOfAll?: true
}

type HistoryLoad = CallTimePeriod & { id: string }

/** Ends history loads whose calls are all loaded, and reads the calls of the oldest load that is not completely read. */
export async function runHistoryLoads(core: Core): Promise<void> {
  await completeLoads(core)
  if (!core.config.CRM_WEBHOOK_URL || !(await isCrmAutomationOn(core))) return
  const { rows } = await core.pool.query<HistoryLoad>({
    text: `SELECT id, from_at AS "from", to_at AS "to" FROM crm_history_loads
            WHERE state = 'running' AND NOT read_whole ORDER BY created_at LIMIT 1`,
  })
  if (rows[0]) await runStep(core, createLoadStep(rows[0]))
}

/** Reads the calls of a load page by page. If an owner pauses the load, the run loses its token. */
const createLoadStep = (load: HistoryLoad): Step<Cursor> => ({
  name: 'crm history',
  table: 'crm_history_loads',
  hasRow: true,
  keyOf: () => ({ id: load.id }),
  intervalSeconds: 1,
  leaseSeconds: 60,
  keepsCursor: true,
  async *pages(core, { cursor, signal }) {
    const access = createPortalReadAccess(core, 'history', signal)
    let lastId = cursor?.isOfAll ? cursor.lastId : 0
    for (;;) {
      const page = await fetchPortalCallsAfterId(core, access, load, lastId)
      await loadUnknownPortalUsers(core, access, page.calls.values)
      lastId = page.lastId
      yield {
        // `group` lets an earlier release continue with this cursor.
        cursor: { ...cursor, isOfAll: true, group: 0, lastId },
        commit: async (sql) => {
          const text = `UPDATE crm_history_loads SET last_error = NULL, failures = 0 WHERE id = $1 AND state = 'running'`
          const { rowCount } = await sql.query({ text, values: [load.id] })
          // An owner paused the load between its selection and its claim.
          if (rowCount !== 1) throw new StepRunLostError()
          await storeHistoryCalls(core, sql, load.id, page.calls)
          await resumeWaitingPortalWork(sql)
        },
      }
      core.notify('crm-load')
      if (page.isLast) return
      await pause(core.config.CRM_EXPORT_PAUSE_SECONDS * 1000, undefined, { signal })
    }
  },
  async end(_, sql) {
    await sql.query({ text: 'UPDATE crm_history_loads SET read_whole = true WHERE id = $1', values: [load.id] })
    await insertHistoryReadPeriod(sql, load.id)
  },
  reasonOf: (error) => (error instanceof PortalFailure ? error.reason : crmMessages.notStored()),
  async failed({ config }, sql, _, error) {
    const verdict = error instanceof PortalError ? error.verdict : undefined
    const isFailure = !(error instanceof CrmAutomationOffError) && verdict !== 'operating' && verdict !== 'blocked'
    const isPermanent = verdict === 'attention' || verdict === 'denied' || verdict === 'item'
    await sql.query({
      text: `UPDATE crm_history_loads SET state = CASE WHEN $3 AND state = 'running' THEN 'failed' ELSE state END,
                    failures = failures + $4::boolean::int, due_at = ${nextRetryTimeSql('$2')} WHERE id = $1`,
      values: [load.id, config.CRM_FETCH_RETRY_DELAY_SECONDS, isPermanent, isFailure],
    })
  },
  isHarmless: (error) => error instanceof PortalFailure,
})

/** Locks the loads before it counts their jobs. A retry of failed jobs locks them too, so it cannot run in between. */
async function completeLoads(core: Core): Promise<void> {
  await runInTransaction(core.db, async (sql) => {
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

/** Queues the failed calls of history loads again. Loads that had ended continue. @returns the number of queued calls */
export async function retryFailedHistoryCalls(sql: Sql, queue: Queue): Promise<number> {
  await sql.query({ text: `SELECT FROM crm_history_loads WHERE state IN ('running', 'done') ORDER BY id FOR UPDATE` })
  const retried = await requeueFailedJobs(sql, queue)
  await sql.query({
    text: `UPDATE crm_history_loads SET state = 'running', finished_at = NULL
            WHERE state = 'done' AND id IN (SELECT history_load_id FROM crm_load_jobs WHERE status = 'QUEUED')`,
  })
  return retried
}

/**
 * Stores calls of a history load and queues those that it must load. If the load had ended, it continues.
 * @param id of the history load
 */
export async function storeHistoryCalls({ config }: Core, sql: Sql, id: string, parsed: ParsedPortalRows<CrmCallRow>) {
  const calls = parsed.values
  const counts = await storeCrmCalls(sql, config, parsed, id)
  const queued = await queueHistoryCalls(sql, id, calls)
  await sql.query({
    text: `UPDATE crm_history_loads SET found = found + $2, skipped = skipped + $2 - $3, invalid_values = invalid_values + $4,
                  state = CASE WHEN state = 'done' AND $3 > 0 THEN 'running' ELSE state END,
                  finished_at = CASE WHEN state = 'done' AND $3 > 0 THEN NULL ELSE finished_at END
            WHERE id = $1`,
    values: [id, calls.length, queued, counts.invalid],
  })
  return counts
}

async function queueHistoryCalls(sql: Sql, id: string, calls: CrmCallRow[]): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_load_jobs (history_load_id, call_id, priority)
           SELECT DISTINCT $1::uuid, c.call_id, 0 FROM crm_calls c
            WHERE c.id = ANY ($2::bigint[]) AND c.load_state = 'waiting' AND c.history_load_id = $1
           ON CONFLICT DO NOTHING`,
    values: [id, calls.map((call) => call.id)],
  })
  return rowCount ?? 0
}
