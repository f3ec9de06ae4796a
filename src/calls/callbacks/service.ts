import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { isUuid, generateId } from '../../platform/lib/ids.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob, recordJobFailure } from '../../platform/queue/claims.ts'
import { type JobClaim, JobFailedError } from '../../platform/queue/queue.ts'
import type { Delivery } from './entity.ts'
import type { DeliveryStateJson } from './schema.ts'
import { callbackMessages } from './messages.ts'
import { toStoredReason } from '../../platform/lib/stored-reason.ts'

/** Inserts a delivery as a queued job. Runs in the transaction of its event. */
export async function queueCallbackDelivery(
  sql: Sql,
  recordingId: string,
  event: Delivery['event'],
  url: string,
  payload: object,
): Promise<void> {
  await sql.query({
    text: 'INSERT INTO deliveries (id, recording_id, event, url, host, body) VALUES ($1, $2, $3, $4, $5, $6)',
    values: [generateId(), recordingId, event, url, new URL(url).host, JSON.stringify(payload)],
  })
}

/** The result of one attempt to send a callback. `retry` repeats it if attempts are left; the other verdicts end the delivery. */
export interface DeliveryOutcome {
  statusCode: number | null
  /** Null if the receiver sent a status. */
  error: Message | null
  durationMs: number
  verdict: 'accepted' | 'retry' | 'refused'
}

/**
 * Records an attempt, then ends the delivery or schedules a retry. Returns 'lost' without recording anything if the claim is
 * lost.
 */
export async function recordDeliveryOutcome(
  core: Core,
  claim: JobClaim,
  outcome: DeliveryOutcome,
): Promise<AttemptOutcome> {
  const { statusCode, durationMs, verdict } = outcome
  const error = outcome.error && String(outcome.error)
  return runInTransaction(core.db, async (sql) => {
    const settled = await settleDelivery(core, sql, claim, outcome)
    if (settled === 'lost') return settled
    await sql.query({
      text: `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code, error, message_json)
             SELECT $1, 1 + count(*), now() - make_interval(secs => $2 / 1000.0), $2, $3, $4, $5
               FROM delivery_attempts WHERE delivery_id = $1`,
      values: [claim.id, durationMs, statusCode, error, outcome.error && toStoredReason(outcome.error)],
    })
    core.log.info({ deliveryId: claim.id, attempt: claim.attempt, statusCode, error, verdict }, 'callback')
    return settled
  })
}

/** Records an attempt that ended without a response, because the worker died or failed. */
export function recordFailedDelivery(core: Core, claim: JobClaim, { reason }: JobFailedError): Promise<AttemptOutcome> {
  return recordDeliveryOutcome(core, claim, { statusCode: null, error: reason, durationMs: 0, verdict: 'retry' })
}

async function settleDelivery(
  core: Core,
  sql: Sql,
  claim: JobClaim,
  outcome: DeliveryOutcome,
): Promise<AttemptOutcome> {
  const { statusCode, error, verdict } = outcome
  if (verdict === 'accepted') return (await endJob(sql, claim, 'DELIVERED', { body: null })) ? 'done' : 'lost'
  const failure = new JobFailedError(error ?? callbackMessages.answered({ status: statusCode! }), verdict === 'refused')
  return recordJobFailure(sql, core.config, claim, failure)
}

/**
 * Returns an SQL condition that is true if a delivery can be sent again. It still has its body, reports the current status of
 * its recording r, and is the latest delivery of r.
 * @param delivery the table alias of the delivery
 */
export const isDeliveryRetryableSql = (delivery: string): string => `
  ${delivery}.body IS NOT NULL AND ${delivery}.event = 'recording.' || lower(r.status)
  AND NOT EXISTS (SELECT FROM deliveries later WHERE later.recording_id = r.id AND later.id > ${delivery}.id)`

const REQUEUE_FAILED_SQL = `
  UPDATE deliveries d SET status = 'QUEUED', attempts = 0, next_attempt_at = now(), started_at = NULL,
         finished_at = NULL, last_error = NULL
    FROM recordings r
   WHERE d.status = 'FAILED' AND r.id = d.recording_id AND ${isDeliveryRetryableSql('d')}`

/**
 * Requeues all failed deliveries that still report the current status of their recordings. The caller must notify the queue.
 * @returns the number of deliveries
 */
export async function retryFailedDeliveries(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query({ text: REQUEUE_FAILED_SQL })
  return rowCount ?? 0
}

/**
 * Requeues one failed delivery.
 * @throws HttpError 404 for an unknown delivery or an invisible recording, 409 for a delivery that has not failed or is outdated
 */
export async function retryFailedDelivery(
  core: Core,
  actor: Actor,
  recordingId: string,
  id: string,
): Promise<DeliveryStateJson> {
  const event = await runInTransaction(core.db, async (sql) => {
    const before = await lockDelivery(sql, actor, recordingId, id)
    const { rowCount } = await sql.query({ text: `${REQUEUE_FAILED_SQL} AND d.id = $1`, values: [id] })
    if (rowCount !== 1) {
      throw conflictError(
        before.status === 'FAILED'
          ? callbackMessages.movedOn()
          : callbackMessages.notSentAgain({ status: before.status }),
      )
    }
    const object = { type: 'recording', id: recordingId.toLowerCase() } as const
    await recordAuditChange(sql, actor, { action: 'recording.callback', object, details: { delivery: id } })
    return before.event
  })
  core.notify('callbacks')
  return { id: id.toLowerCase(), event, state: 'waiting' }
}

async function lockDelivery(
  sql: Sql,
  actor: Actor,
  recordingId: string,
  id: string,
): Promise<Pick<Delivery, 'status' | 'event'>> {
  const p = new SqlParameters()
  const delivery = p.add(isUuid(id) ? id : null)
  const { rows } = await sql.query<Pick<Delivery, 'status' | 'event'>>({
    text: `SELECT d.status, d.event FROM deliveries d JOIN recordings r ON r.id = d.recording_id
            WHERE d.id = ${delivery}::uuid AND ${p.and(visibleRecordingByIdCondition(actor, recordingId))} FOR UPDATE OF d`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(callbackMessages.noDelivery())
  return rows[0]
}

/** The data of a delivery that a worker needs to send it. */
export type ClaimedDelivery = Pick<Delivery, 'event' | 'url' | 'body'> & { isSuperseded: boolean }

/**
 * Finds a delivery by its claim, or undefined if the claim is lost. `isSuperseded` is true if the recording has another status
 * now or has a later delivery.
 */
export async function findClaimedDelivery(
  core: Core,
  claim: Pick<JobClaim, 'id' | 'token'>,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await core.pool.query<ClaimedDelivery>({
    text: `SELECT d.event, d.url, d.body, (CASE d.event WHEN 'recording.done' THEN 'DONE' ELSE 'FAILED' END) <> r.status
                     OR EXISTS (SELECT FROM deliveries n WHERE n.recording_id = d.recording_id AND n.id > d.id)
                     AS "isSuperseded"
             FROM deliveries d JOIN recordings r ON r.id = d.recording_id WHERE d.id = $1 AND d.attempt_token = $2`,
    values: [claim.id, claim.token],
  })
  return rows[0]
}
