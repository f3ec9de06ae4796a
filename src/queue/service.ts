import { recordChange, type AuditObject } from '../audit/record.ts'
import { DELIVERY_WORK, IS_LAST_END, retryFailedDeliveries } from '../callbacks/service.ts'
import type { Core } from '../core.ts'
import { pool, transaction, type Sql } from '../db.ts'
import { notFound } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { QUEUES, type QueueName } from '../queues.ts'
import { addForecast, forecastQueue } from '../recordings/forecast.ts'
import { presentListed, SELECT_RECORDING, type RecordingRow } from '../recordings/present.ts'
import { IS_MENDABLE, requeueFailed } from '../recordings/service.ts'
import { RECORDING_WORK } from '../transcription/service.ts'
import type { WorkTable } from '../queue/claims.ts'
import type { JobJson, JobState, QueueJson } from './schema.ts'

/** The rows that are a queue's jobs, and how those that were given up are tried again. */
interface QueueRows {
  work: WorkTable
  /** The column that names the recording. */
  recordingId: string
  retryFailed: (sql: Sql, actor: Actor) => Promise<number>
  /** Which of them, as a condition on the table j. */
  retryable: string
  /** The column that names who is told. */
  receiver?: string
}

const ROWS: Record<QueueName, QueueRows> = {
  transcription: { work: RECORDING_WORK, recordingId: 'id', retryFailed: requeueMendable, retryable: IS_MENDABLE('j') },
  callbacks: {
    work: DELIVERY_WORK,
    recordingId: 'recording_id',
    retryFailed: retryFailedDeliveries,
    retryable: `EXISTS (SELECT FROM recordings r WHERE r.id = j.recording_id AND ${IS_LAST_END('j')})`,
    receiver: 'host',
  },
}

/** What a fault of its audio has failed would only fail again. */
function requeueMendable(sql: Sql, actor: Actor): Promise<number> {
  return requeueFailed(sql, actor, IS_MENDABLE('r'))
}

/** Each state as a condition that one partial index of the table serves, and its order; waiting: as they will be taken. */
const STATES: Record<JobState, { where: string; order?: string }> = {
  waiting: { where: `status = 'QUEUED' AND next_attempt_at <= now()` },
  delayed: { where: `status = 'QUEUED' AND next_attempt_at > now()`, order: 'next_attempt_at, id' },
  active: { where: `status = 'PROCESSING'`, order: 'started_at, id' },
  failed: { where: `status = 'FAILED'`, order: 'id DESC' },
}

const ANY_STATE = {
  // Not IN: a partial index serves each part of an OR by itself.
  where: `(status = 'QUEUED' OR status = 'PROCESSING' OR status = 'FAILED')`,
  order: `array_position(ARRAY['PROCESSING', 'QUEUED', 'FAILED'], status), priority DESC, created_at, id`,
}

/** The queue of a name that a caller gave. @throws HttpError 404 */
export function queueNamed(name: unknown): QueueName {
  const found = QUEUES.find((queue) => queue === name)
  if (!found) throw notFound('There is no such queue')
  return found
}

/** What waits for transcription and how long it will take. */
export async function describeTranscription(core: Core) {
  const [{ speed: _, ...forecast }, paused] = await Promise.all([forecastQueue(core), isPaused(core, 'transcription')])
  return { ...forecast, paused }
}

async function isPaused(core: Core, queue: QueueName): Promise<boolean> {
  const { rowCount } = await pool(core.db).query({
    text: 'SELECT FROM paused_queues WHERE name = $1',
    values: [queue],
  })
  return rowCount === 1
}

/** Every queue with its counts. */
export const describeQueues = (core: Core): Promise<QueueJson[]> =>
  Promise.all(QUEUES.map((queue) => describeQueue(core, queue)))

/** One queue with its counts. */
export async function describeQueue(core: Core, queue: QueueName): Promise<QueueJson> {
  const { table } = ROWS[queue].work
  const counts = Object.entries(STATES).map(
    ([state, { where }]) => `(SELECT count(*)::int FROM ${table} WHERE ${where}) AS ${state}`,
  )
  const { rows } = await pool(core.db).query<QueueJson>({
    name: `counts-${queue}`,
    text: `SELECT '${queue}' AS name, ${counts.join(', ')},
                  EXISTS (SELECT FROM paused_queues WHERE name = '${queue}') AS paused`,
  })
  return rows[0]!
}

interface JobRow {
  id: string
  state: JobState
  recordingId: string
  priority: number
  attempts: number
  nextAttemptAt: Date | null
  startedAt: Date | null
  lastError: string | null
  receiver?: string | null
}

/** A page of a queue's jobs, with `calls` each with what to know its recording by. */
export async function listJobs(
  core: Core,
  queue: QueueName,
  asked: { state?: JobState; page: number; pageSize: number; calls: boolean; retryable: boolean },
) {
  const { state, page, pageSize, calls } = asked
  const { work, recordingId, retryable, receiver } = ROWS[queue]
  const { where: inState, order = work.order } = state ? STATES[state] : ANY_STATE
  const where = asked.retryable ? `${inState} AND j.status = 'FAILED' AND ${retryable}` : inState
  const [{ rows: items }, count] = await Promise.all([
    pool(core.db).query<JobRow>({
      text: `SELECT id, ${recordingId} AS "recordingId", priority, attempts,
                    CASE status WHEN 'PROCESSING' THEN 'active' WHEN 'FAILED' THEN 'failed'
                      ELSE CASE WHEN next_attempt_at > now() THEN 'delayed' ELSE 'waiting' END END AS state,
                    CASE WHEN status = 'QUEUED' THEN next_attempt_at END AS "nextAttemptAt",
                    started_at AS "startedAt", last_error AS "lastError"
                    ${calls && receiver ? `, ${receiver} AS receiver` : ''}
               FROM ${work.table} j WHERE ${where} ORDER BY ${order} LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
    }),
    pool(core.db).query<{ total: number }>({
      text: `SELECT count(*)::int AS total FROM ${work.table} j WHERE ${where}`,
    }),
  ])
  const total = count.rows[0]!.total
  return { items: calls ? await withCalls(core, items) : items, total, page, pageSize }
}

/** A job whose recording was deleted meanwhile is left out. */
async function withCalls(core: Core, jobs: JobRow[]): Promise<(JobRow & { call: JobJson['call'] })[]> {
  const { rows } = await pool(core.db).query<RecordingRow>({
    text: `${SELECT_RECORDING} WHERE r.id = ANY($1::uuid[])`,
    values: [jobs.map(({ recordingId }) => recordingId)],
  })
  await addForecast(core, rows)
  const calls = new Map(rows.map((row) => [row.id, presentListed(row)]))
  return jobs.flatMap((job) => {
    const call = calls.get(job.recordingId)
    if (!call) return []
    const { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } = call
    return [{ ...job, call: { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } }]
  })
}

/** From the next claim on no process begins anything of this queue; what runs goes on. */
export async function pauseQueue(core: Core, actor: Actor, queue: QueueName): Promise<QueueJson> {
  await transaction(core.db, async (sql) => {
    const text = 'INSERT INTO paused_queues (name) VALUES ($1) ON CONFLICT DO NOTHING'
    const { rowCount } = await sql.query({ text, values: [queue] })
    if (rowCount === 1) await recordChange(sql, actor, { action: 'queue.pause', object: asObject(queue) })
  })
  core.log.info({ queue }, 'the queue is paused')
  return describeQueue(core, queue)
}

/** Goes on with a paused queue. */
export async function resumeQueue(core: Core, actor: Actor, queue: QueueName): Promise<QueueJson> {
  await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({ text: 'DELETE FROM paused_queues WHERE name = $1', values: [queue] })
    if (rowCount === 1) await recordChange(sql, actor, { action: 'queue.resume', object: asObject(queue) })
  })
  core.log.info({ queue }, 'the queue goes on')
  core.notify(queue)
  return describeQueue(core, queue)
}

/** Makes what a queue gave up due again; answers how many. */
export async function retryFailedOf(core: Core, actor: Actor, queue: QueueName): Promise<number> {
  const retried = await transaction(core.db, async (sql) => {
    const count = await ROWS[queue].retryFailed(sql, actor)
    const entry = { action: 'queue.retry-failed', object: asObject(queue), details: { retried: count } } as const
    if (count > 0) await recordChange(sql, actor, entry)
    return count
  })
  core.notify(queue)
  return retried
}

const asObject = (queue: QueueName): AuditObject => ({ type: 'queue', id: queue, name: queue })
