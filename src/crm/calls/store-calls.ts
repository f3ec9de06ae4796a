import type { Config } from '../../platform/config/config.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { CrmCallRow } from '../bitrix24/calls.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import { storePortalRows, type CrmPageCounts, type PortalRowKind, type RowChangeCounts } from '../quarantine/store.ts'
import { upsertCrmRows, type CrmUpsertTarget } from '../steps/upsert.ts'
import { loadCallEligibilityRules, findCallSkipReason } from './eligibility.ts'
import { linkSubmittedCalls } from './submitted-calls.ts'

/**
 * True if the decision to load a call is made again: the call is waiting or was skipped. A call skipped without a recording
 * needs a file first. A call that a history load requested stays requested. Only another history load reopens a failed call.
 */
const IS_UNDECIDED_SQL = `(t.load_state = 'waiting' AND NOT (excluded.skip_reason IS NOT DISTINCT FROM 'before-automation' AND t.history_load_id IS NOT NULL)
  OR t.load_state = 'failed' AND excluded.history_load_id IS NOT NULL
  OR t.load_state = 'skipped' AND (t.skip_reason <> 'no-recording' OR excluded.file_id IS NOT NULL))`

const CALLS_TARGET: CrmUpsertTarget = {
  table: 'crm_calls',
  key: ['id'],
  columns: {
    id: 'bigint',
    call_id: 'text',
    user_id: 'text',
    phone_number: 'text',
    phone: 'text',
    portal_number: 'text',
    type: 'smallint',
    duration_seconds: 'integer',
    started_at: 'timestamptz',
    failed_code: 'text',
    entity_type: 'text',
    entity_id: 'bigint',
    activity_id: 'bigint',
    file_id: 'bigint',
  } satisfies Record<keyof CrmCallRow, string>,
  decisions: { load_state: 'text', skip_reason: 'text' },
  mark: 'history_load_id',
  set: () => [
    'read_at = now()',
    `load_state = CASE WHEN ${IS_UNDECIDED_SQL} THEN excluded.load_state ELSE t.load_state END`,
    `skip_reason = CASE WHEN ${IS_UNDECIDED_SQL} THEN excluded.skip_reason ELSE t.skip_reason END`,
    `history_load_id = CASE WHEN excluded.history_load_id IS NOT NULL AND t.load_state IN ('waiting', 'skipped', 'failed')
       THEN excluded.history_load_id ELSE t.history_load_id END`,
  ],
}

const CALL_ROW_KIND: PortalRowKind<CrmCallRow> = { step: 'calls', id: 'ID', keyOf: ({ id }) => id }

/**
 * Stores rows of calls with the decision to load or skip them, and links calls that an integration submitted.
 * @param historyLoadId the history load that requested the calls; undefined for live calls
 */
export async function storeCrmCalls(
  sql: Sql,
  config: Config,
  calls: ParsedPortalRows<CrmCallRow>,
  historyLoadId?: string,
): Promise<CrmPageCounts> {
  const counts = await storePortalRows(
    sql,
    CALL_ROW_KIND,
    calls,
    (rows) => upsertCalls(sql, rows, historyLoadId),
    historyLoadId,
  )
  const callIds = calls.values.map((call) => call.call_id)
  await linkSubmittedCalls(sql, config, callIds)
  return counts
}

async function upsertCalls(sql: Sql, calls: CrmCallRow[], historyLoadId: string | undefined): Promise<RowChangeCounts> {
  const rules = await loadCallEligibilityRules(sql)
  const decidedCalls = calls.map((call) => {
    const reason = findCallSkipReason(call, rules, historyLoadId !== undefined)
    return { ...call, load_state: reason ? 'skipped' : 'waiting', skip_reason: reason ?? null }
  })
  return upsertCrmRows(sql, CALLS_TARGET, decidedCalls, historyLoadId)
}

const REQUEUE_ON_CONFLICT_SQL = `
  ON CONFLICT (call_id) DO UPDATE
     SET status = 'QUEUED', priority = excluded.priority, attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL
   WHERE j.status IN ('DONE', 'FAILED')`

/** True if no job of call c is queued or running. */
const HAS_NO_JOB_SQL = `NOT EXISTS (SELECT FROM crm_sync_jobs q WHERE q.call_id = c.call_id AND q.status IN ('QUEUED', 'PROCESSING'))`

/** Replaced files of calls that began within this time are loaded again. */
export const FILE_REPLACEMENT_PERIOD_SQL = `interval '30 days'`

/**
 * Queues load jobs of live calls that are waiting, and of all calls whose file arrived or changed.
 * It skips calls with unfinished jobs before it locks rows, because the end of a job locks in the reverse order.
 */
export async function queueCrmCallsToLoad(sql: Sql, calls: CrmCallRow[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id)
           SELECT DISTINCT c.call_id FROM crm_calls c
            WHERE c.id = ANY ($1::bigint[])
              AND ${HAS_NO_JOB_SQL}
              AND (c.load_state = 'waiting' AND c.history_load_id IS NULL
                OR c.load_state = 'awaiting-file' AND c.file_id IS NOT NULL
                OR c.load_state = 'received' AND c.file_id <> c.loaded_file_id AND c.started_at > now() - ${FILE_REPLACEMENT_PERIOD_SQL})
           ${REQUEUE_ON_CONFLICT_SQL}`,
    values: [calls.map(({ id }) => id)],
  })
}

/** Queues load jobs of calls in any state, for example after a file was replaced. It skips calls with unfinished jobs. */
export async function requeueCrmCalls(sql: Sql, callIds: string[]): Promise<void> {
  if (callIds.length === 0) return
  await sql.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id)
           SELECT DISTINCT c.call_id FROM unnest($1::text[]) AS c (call_id) WHERE ${HAS_NO_JOB_SQL} ORDER BY 1 ${REQUEUE_ON_CONFLICT_SQL}`,
    values: [callIds],
  })
}
