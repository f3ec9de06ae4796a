import type { JobJson, JobState, QueueJson } from './schema.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordChange, type AuditObject } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { selectPage, type PageRequest } from '../../platform/db/page.ts'
import { notFound } from '../../platform/errors.ts'
import { addForecast } from '../recordings/forecast.ts'
import { presentListed, SELECT_RECORDING, type RecordingRow } from '../recordings/present.ts'
import { requeueFailed } from '../../platform/queue/claims.ts'
import { isPausedByName, presentPause, readPauses, setPaused } from '../../platform/queue/pauses.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { queueMessages } from '../../platform/queue/messages.ts'
import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'

/** Each state as a condition served by one partial index, and its order; waiting jobs in the order of their claims. */
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

/** The queues in the jobs API. */
export const listed = (queues: readonly Queue[]): Queue[] => queues.filter(({ isUnlisted }) => !isUnlisted)

/** The queue of a name in a request. @throws HttpError 404 */
export function queueNamed(queues: readonly Queue[], name: unknown): Queue {
  const found = listed(queues).find((queue) => queue.name === name)
  if (!found) throw notFound(queueMessages.noQueue())
  return found
}

/** Whether the queue is paused. */
export const isPaused = (core: Core, { name }: Queue): Promise<boolean> => isPausedByName(core.pool, name)

/** Queues with their counts. */
export async function describeQueues(core: Core, queues: readonly Queue[]): Promise<QueueJson[]> {
  const [pauses, counts] = await Promise.all([
    readPauses(core),
    Promise.all(queues.map((queue) => countJobs(core, queue))),
  ])
  return queues.map(({ name }, n) => {
    const pause = presentPause(pauses.get(name))
    return { name, ...counts[n]!, paused: pause !== null, pause }
  })
}

/** One queue with its counts. */
const describeQueue = async (core: Core, queue: Queue): Promise<QueueJson> => (await describeQueues(core, [queue]))[0]!

async function countJobs(core: Core, { table }: Queue): Promise<Record<JobState, number>> {
  const counts = Object.entries(STATES).map(
    ([state, { where }]) => `(SELECT count(*)::int FROM ${table} WHERE ${where}) AS ${state}`,
  )
  const { rows } = await core.pool.query<Record<JobState, number>>({
    text: `SELECT ${counts.join(', ')}`,
  })
  return rows[0]!
}

interface JobRow {
  id: string
  state: JobState
  recordingId: string | null
  priority: number
  attempts: number
  nextAttemptAt: Date | null
  startedAt: Date | null
  lastError: string | null
  messageJson?: StoredReason | null
  receiver?: string | null
}

/** A page of a queue's jobs; with `calls`, each includes the names of its recording. */
export async function listJobs(
  core: Core,
  queue: Queue,
  asked: PageRequest & { state?: JobState; calls: boolean; retryable: boolean },
) {
  const { state, calls } = asked
  const { table, recordingColumn: recordingId = 'NULL::uuid', retryable = 'true', receiverColumn: receiver } = queue
  const { where: inState, order = queue.order } = state ? STATES[state] : ANY_STATE
  const where = asked.retryable ? `${inState} AND j.status = 'FAILED' AND ${retryable}` : inState
  const select = `
    id, ${recordingId} AS "recordingId", priority, attempts,
    CASE status WHEN 'PROCESSING' THEN 'active' WHEN 'FAILED' THEN 'failed'
      ELSE CASE WHEN next_attempt_at > now() THEN 'delayed' ELSE 'waiting' END END AS state,
    CASE WHEN status = 'QUEUED' THEN next_attempt_at END AS "nextAttemptAt",
    started_at AS "startedAt", last_error AS "lastError", message_json AS "messageJson"
    ${calls && receiver ? `, ${receiver} AS receiver` : ''}`
  const page = await selectPage<JobRow>(core.pool, { select, from: `${table} j WHERE ${where}`, order }, asked)
  const items = page.items.map(({ messageJson, ...job }) => ({
    ...job,
    lastError: formatReason(job.lastError, messageJson),
  }))
  return { ...page, items: calls ? await withCalls(core, items) : items }
}

/** Jobs whose recording was deleted meanwhile are left out; jobs without a recording have no call. */
async function withCalls(core: Core, jobs: JobRow[]): Promise<(JobRow & Pick<JobJson, 'call'>)[]> {
  const { rows } = await core.pool.query<RecordingRow>({
    text: `${SELECT_RECORDING} WHERE r.id = ANY($1::uuid[])`,
    values: [jobs.flatMap(({ recordingId }) => recordingId ?? [])],
  })
  await addForecast(core, rows)
  const calls = new Map(rows.map((row) => [row.id, presentListed(row)]))
  return jobs.flatMap((job) => {
    if (job.recordingId === null) return [job]
    const call = calls.get(job.recordingId)
    if (!call) return []
    const { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } = call
    return [{ ...job, call: { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } }]
  })
}

/** From the next claim on, no process starts a job of this queue; running jobs continue. */
export async function pauseQueue(core: Core, actor: Actor, queue: Queue): Promise<QueueJson> {
  await transaction(core.db, async (sql) => {
    const hasChanged = await setPaused(sql, queue.name, true)
    if (hasChanged) await recordChange(sql, actor, { action: 'queue.pause', object: asObject(queue) })
  })
  core.log.info({ queue: queue.name }, 'the queue is paused')
  return describeQueue(core, queue)
}

/** Resumes a paused queue. */
export async function resumeQueue(core: Core, actor: Actor, queue: Queue): Promise<QueueJson> {
  await transaction(core.db, async (sql) => {
    const hasChanged = await setPaused(sql, queue.name, false)
    if (hasChanged) await recordChange(sql, actor, { action: 'queue.resume', object: asObject(queue) })
  })
  core.log.info({ queue: queue.name }, 'the queue goes on')
  core.notify(queue.name)
  return describeQueue(core, queue)
}

/** Retries the failed jobs of a queue; returns their number. */
export async function retryFailedOf(core: Core, actor: Actor, queue: Queue): Promise<number> {
  const retried = await transaction(core.db, async (sql) => {
    const count = await (queue.retryFailed ? queue.retryFailed(sql, actor) : requeueFailed(sql, queue))
    const entry = { action: 'queue.retry-failed', object: asObject(queue), details: { retried: count } } as const
    if (count > 0) await recordChange(sql, actor, entry)
    return count
  })
  core.notify(queue.name)
  return retried
}

const asObject = ({ name }: Queue): AuditObject => ({ type: 'queue', id: name, name })
