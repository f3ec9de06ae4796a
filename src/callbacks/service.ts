import type { Core } from '../core.ts'
import { pool, transaction, type Sql } from '../db.ts'
import { newId } from '../lib/ids.ts'
import { retryLater, type Claim, type WorkTable } from '../work.ts'
import type { Delivery } from './entity.ts'

/** Deliveries to one receiver at once. One that does not answer must not keep the others' waiting. */
const PER_HOST = 4

export const DELIVERY_WORK: WorkTable = {
  table: 'deliveries',
  queue: 'callbacks',
  order: 'next_attempt_at, id',
  unless: `host IN (SELECT host FROM deliveries WHERE status = 'PROCESSING' GROUP BY host HAVING count(*) >= ${PER_HOST})`,
}

/** Attempts in all: with the first pause of 30 s they are made after 0, 30 s, 1, 2, 4 and 8 minutes. */
export const DELIVERY_ATTEMPTS = 6

/** Writes the delivery of a callback into the transaction of the event that it tells. */
export async function planDelivery(
  sql: Sql,
  recordingId: string,
  event: Delivery['event'],
  url: string,
  payload: object,
): Promise<void> {
  await sql.query({
    text: 'INSERT INTO deliveries (id, recording_id, event, url, host, body) VALUES ($1, $2, $3, $4, $5, $6)',
    values: [newId(), recordingId, event, url, new URL(url).host, JSON.stringify(payload)],
  })
}

/** How one attempt ended. */
export interface Outcome {
  statusCode: number | null
  /** Why there was no status, or null. */
  error: string | null
  durationMs: number
  verdict: 'accepted' | 'retry' | 'refused'
}

/** Records an attempt and what follows from it. @returns whether the claim still stood */
export async function recordOutcome(core: Core, claim: Claim, outcome: Outcome): Promise<boolean> {
  const { statusCode, error, durationMs, verdict } = outcome
  return transaction(core.db, async (sql) => {
    const held = await settle(core, sql, claim, outcome)
    if (!held) return false
    await sql.query({
      text: `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code, error)
             SELECT $1, 1 + count(*), now() - make_interval(secs => $2 / 1000.0), $2, $3, $4
               FROM delivery_attempts WHERE delivery_id = $1`,
      values: [claim.id, durationMs, statusCode, error],
    })
    core.log.info({ deliveryId: claim.id, attempt: claim.attempt, statusCode, error, verdict }, 'callback')
    return true
  })
}

async function settle(core: Core, sql: Sql, claim: Claim, { statusCode, error, verdict }: Outcome): Promise<boolean> {
  const reason = error ?? `answered ${statusCode}`
  if (verdict === 'retry' && claim.attempt < DELIVERY_ATTEMPTS) {
    return retryLater(sql, DELIVERY_WORK, claim, core.config.CALLBACK_RETRY_DELAY_SECONDS, reason)
  }
  const accepted = verdict === 'accepted'
  const { rowCount } = await sql.query({
    text: `UPDATE deliveries SET status = $3, finished_at = now(), attempt_token = NULL, lease_until = NULL, last_error = $4,
                  body = CASE WHEN $3 = 'FAILED' THEN body END
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token, accepted ? 'DELIVERED' : 'FAILED', accepted ? null : reason],
  })
  return rowCount === 1
}

/**
 * Makes failed deliveries due again, each under its own id, and answers how many; the bell is the caller's. Left alone is what would tell a
 * receiver something that is not so any more: the recording was retried, cancelled, or has told its end anew.
 */
export async function retryFailedDeliveries(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query({
    text: `UPDATE deliveries d SET status = 'QUEUED', attempts = 0, next_attempt_at = now(), started_at = NULL,
                  finished_at = NULL, last_error = NULL
             FROM recordings r
            WHERE d.status = 'FAILED' AND d.body IS NOT NULL AND r.id = d.recording_id
              AND d.event = 'recording.' || lower(r.status)
              AND NOT EXISTS (SELECT FROM deliveries later WHERE later.recording_id = d.recording_id AND later.id > d.id)`,
  })
  return rowCount ?? 0
}

export type ClaimedDelivery = Pick<Delivery, 'event' | 'url' | 'body'> & { isSuperseded: boolean }

/** What a claimed delivery sends, and whether its recording has moved on since: then there is, or will be, another. */
export async function readClaimed(core: Core, claim: Claim): Promise<ClaimedDelivery | undefined> {
  const { rows } = await pool(core.db).query<ClaimedDelivery>({
    name: 'claimed-delivery',
    text: `SELECT d.event, d.url, d.body, (CASE d.event WHEN 'recording.done' THEN 'DONE' ELSE 'FAILED' END) <> r.status
                     OR EXISTS (SELECT FROM deliveries n WHERE n.recording_id = d.recording_id AND n.id > d.id)
                     AS "isSuperseded"
             FROM deliveries d JOIN recordings r ON r.id = d.recording_id WHERE d.id = $1 AND d.attempt_token = $2`,
    values: [claim.id, claim.token],
  })
  return rows[0]
}
