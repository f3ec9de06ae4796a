import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { assignCallManagers } from '../managers/assign-managers.ts'
import { endJob, recordJobFailure } from '../../platform/queue/claims.ts'
import type { JobClaim, JobFailedError } from '../../platform/queue/queue.ts'
import { queueDealSearch } from '../deals/match.ts'
import { resumeWaitingPortalWork } from '../steps/failure.ts'
import type { CallLoadResult } from './fetch-call-audio.ts'
import { FILE_REPLACEMENT_PERIOD_SQL, storeCrmCalls } from './store-calls.ts'
import { linkSubmittedCalls } from './submitted-calls.ts'
import { toStoredReason } from '../../platform/lib/stored-reason.ts'

/** When a missing file is requested again, in minutes after the end of the call. */
const FILE_CHECK_MINUTES = [1, 2, 5, 15, 60, 180, 720, 1440, 2880]

/** The time of the next request for a missing file of crm_calls c; null after the last one. */
const NEXT_FILE_CHECK_SQL = `(
  SELECT min(t.at) FROM (SELECT c.started_at + make_interval(secs => c.duration_seconds) + make_interval(mins => m) AS at
                           FROM unnest(ARRAY[${FILE_CHECK_MINUTES.join(', ')}]) AS m) t
   WHERE t.at > now() + interval '20 s')`

/** When a loaded file is checked for replaced content, in hours after the load. */
const REPLACEMENT_CHECK_HOURS = [1, 24, 168, 672]

/**
 * The time of the next check for replaced content of crm_calls c; null after the last one, for old calls, and without a file.
 */
const NEXT_REPLACEMENT_CHECK_SQL = `(
  SELECT min(t.at) FROM (SELECT c.loaded_at + make_interval(hours => h) AS at FROM unnest(ARRAY[${REPLACEMENT_CHECK_HOURS.join(', ')}]) AS h) t
   WHERE t.at > now() + interval '1 minute' AND c.loaded_file_id IS NOT NULL AND c.started_at > now() - ${FILE_REPLACEMENT_PERIOD_SQL})`

/**
 * Schedules the next check for replaced files of loaded calls.
 * @param ids of crm_calls
 */
export async function scheduleFileReplacementCheck(sql: Sql, ids: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_calls c SET next_file_check_at = ${NEXT_REPLACEMENT_CHECK_SQL} WHERE id = ANY ($1::bigint[])`,
    values: [ids],
  })
}

/**
 * Stores the outcome of a load job, ends the job, and queues the deal search of a loaded call.
 * @returns done, or lost if the claim is no longer valid
 */
export async function completeCallLoad(core: Core, claim: JobClaim, result: CallLoadResult): Promise<AttemptOutcome> {
  const { calls, chosen, outcome } = result
  const recordingId = outcome.state === 'received' ? outcome.recordingId : null
  return runInTransaction(core.db, async (sql) => {
    if (!(await endJob(sql, claim, 'DONE', { recording_id: recordingId }))) return 'lost'
    await storeCrmCalls(sql, core.config, calls, await findHistoryLoadId(sql, claim))
    await sql.query({
      text: `UPDATE crm_calls SET load_state = 'doubled', skip_reason = NULL, next_file_check_at = NULL
              WHERE call_id = $1 AND id <> $2`,
      values: [chosen.call_id, chosen.id],
    })
    await storeOutcome(sql, result)
    // An integration can have submitted the call meanwhile.
    if (!recordingId) await linkSubmittedCalls(sql, core.config, [chosen.call_id])
    else {
      await queueDealSearch(sql, recordingId)
      await assignCallManagers(sql, core.config, [recordingId])
    }
    await resumeWaitingPortalWork(sql)
    return 'done'
  })
}

async function findHistoryLoadId(sql: Sql, { queue, id }: JobClaim): Promise<string | undefined> {
  if (queue.table !== 'crm_load_jobs') return undefined
  const text = 'SELECT history_load_id AS load FROM crm_load_jobs WHERE id = $1'
  const { rows } = await sql.query<{ load: string }>({ text, values: [id] })
  return rows[0]?.load
}

async function storeOutcome(sql: Sql, { chosen, outcome }: CallLoadResult): Promise<void> {
  if (outcome.state === 'awaiting-file') return scheduleMissingFileChecks(sql, [chosen.id])
  const isReceived = outcome.state === 'received'
  const file = isReceived ? outcome.file : undefined
  await sql.query({
    text: `UPDATE crm_calls SET load_state = $2, skip_reason = $3, recording_id = coalesce($4, recording_id), load_error = NULL,
                  loaded_file_id = coalesce($5, loaded_file_id), file_size = coalesce($6, file_size),
                  file_version = coalesce($7, file_version), next_file_check_at = NULL,
                  loaded_at = CASE WHEN $4::uuid IS NOT NULL THEN coalesce(loaded_at, now()) END
            WHERE id = $1`,
    values: [
      chosen.id,
      outcome.state,
      isReceived ? null : outcome.reason,
      isReceived ? outcome.recordingId : null,
      file?.id,
      file?.size,
      file?.version,
    ],
  })
  if (isReceived) await scheduleFileReplacementCheck(sql, [chosen.id])
}

/**
 * Schedules the next request for missing files. After the last one, the calls are skipped.
 * @param ids of crm_calls
 */
export async function scheduleMissingFileChecks(sql: Sql, ids: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_calls c SET file_checks = file_checks + 1, next_file_check_at = n.at,
                  load_state = CASE WHEN n.at IS NULL THEN 'skipped' ELSE 'awaiting-file' END,
                  skip_reason = CASE WHEN n.at IS NULL THEN 'no-recording' END
             FROM (SELECT c.id, ${NEXT_FILE_CHECK_SQL} AS at FROM crm_calls c WHERE c.id = ANY ($1::bigint[])) n
            WHERE n.id = c.id AND c.load_state <> 'received'`,
    values: [ids],
  })
}

/** Failed calls get a lower priority than new calls, which then do not wait behind them. */
const RETRY_PRIORITY = 4

/** Records a failed attempt of a load job. After the last attempt, the call is marked as failed. */
export async function failCallLoad(core: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome> {
  return runInTransaction(core.db, async (sql) => {
    const outcome = await recordJobFailure(sql, core.config, claim, failure)
    if (outcome === 'retry') {
      await sql.query({
        text: `UPDATE ${claim.queue.table} SET priority = least(priority, ${RETRY_PRIORITY}) WHERE id = $1`,
        values: [claim.id],
      })
    }
    if (outcome === 'failed') {
      await sql.query({
        text: `UPDATE crm_calls SET load_state = 'failed', load_error = $2, message_json = $3, next_file_check_at = NULL
                WHERE call_id = (SELECT call_id FROM ${claim.queue.table} WHERE id = $1)
                  AND load_state IN ('waiting', 'awaiting-file', 'loading')`,
        values: [claim.id, failure.message, toStoredReason(failure.reason)],
      })
    }
    return outcome
  })
}
