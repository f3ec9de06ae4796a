import type { QueueJobJson, QueueJobState, QueueJson } from './schema.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange, type AuditObject } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import { notFoundError } from '../../platform/errors.ts'
import { addRecordingForecasts } from '../recordings/forecast.ts'
import { presentRecordingSummary, SELECT_RECORDING_SQL, type RecordingRow } from '../recordings/present.ts'
import { requeueFailedJobs } from '../../platform/queue/claims.ts'
import { isQueuePaused, presentQueuePause, loadQueuePauses, setQueuePaused } from '../../platform/queue/pauses.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { queueMessages } from '../../platform/queue/messages.ts'
import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'

/**
 * The condition and order of each job state. Without `order`, the jobs have the order in which workers claim them.
 */
const JOB_STATE_SQL: Record<QueueJobState, { where: string; order?: string }> = {
  waiting: { where: `status = 'QUEUED' AND next_attempt_at <= now()` },
  delayed: { where: `status = 'QUEUED' AND next_attempt_at > now()`, order: 'next_attempt_at, id' },
  active: { where: `status = 'PROCESSING'`, order: 'started_at, id' },
  failed: { where: `status = 'FAILED'`, order: 'id DESC' },
}

const ANY_STATE_SQL = {
  // Conditions with OR instead of IN, because Postgres then uses one partial index for each part.
  where: `(status = 'QUEUED' OR status = 'PROCESSING' OR status = 'FAILED')`,
  order: `array_position(ARRAY['PROCESSING', 'QUEUED', 'FAILED'], status), priority DESC, created_at, id`,
}

/** Returns the queues that the API shows. */
export const filterListedQueues = (queues: readonly Queue[]): Queue[] => queues.filter(({ isUnlisted }) => !isUnlisted)

/**
 * Returns the queue with a name from a request.
 * @throws HttpError 404 if no listed queue has this name
 */
export function requireListedQueue(queues: readonly Queue[], name: unknown): Queue {
  const found = filterListedQueues(queues).find((queue) => queue.name === name)
  if (!found) throw notFoundError(queueMessages.noQueue())
  return found
}

/** Returns true if a person or the service has paused a queue. */
export const isJobQueuePaused = (core: Core, { name }: Queue): Promise<boolean> => isQueuePaused(core.pool, name)

/** Loads the job counts and the pause of each queue. */
export async function loadQueueStates(core: Core, queues: readonly Queue[]): Promise<QueueJson[]> {
  const [pauses, counts] = await Promise.all([
    loadQueuePauses(core),
    Promise.all(queues.map((queue) => countJobs(core, queue))),
  ])
  return queues.map(({ name }, n) => {
    const pause = presentQueuePause(pauses.get(name))
    return { name, ...counts[n]!, paused: pause !== null, pause }
  })
}

const loadQueueState = async (core: Core, queue: Queue): Promise<QueueJson> =>
  (await loadQueueStates(core, [queue]))[0]!

async function countJobs(core: Core, { table }: Queue): Promise<Record<QueueJobState, number>> {
  const counts = Object.entries(JOB_STATE_SQL).map(
    ([state, { where }]) => `(SELECT count(*)::int FROM ${table} WHERE ${where}) AS ${state}`,
  )
  const { rows } = await core.pool.query<Record<QueueJobState, number>>({
    text: `SELECT ${counts.join(', ')}`,
  })
  return rows[0]!
}

interface JobRow {
  id: string
  state: QueueJobState
  recordingId: string | null
  priority: number
  attempts: number
  nextAttemptAt: Date | null
  startedAt: Date | null
  lastError: string | null
  messageJson?: StoredReason | null
  receiver?: string | null
}

/**
 * Lists a page of the unfinished and failed jobs of a queue, or of one state. With `calls`, each job includes names and progress
 * of its recording, and the receiver of a callback.
 */
export async function listQueueJobs(
  core: Core,
  queue: Queue,
  query: PageRequest & { state?: QueueJobState; calls: boolean; retryable: boolean },
) {
  const { state, calls } = query
  const { table, recordingColumn: recordingId = 'NULL::uuid', retryable = 'true', receiverColumn: receiver } = queue
  const { where: inState, order = queue.order } = state ? JOB_STATE_SQL[state] : ANY_STATE_SQL
  const where = query.retryable ? `${inState} AND j.status = 'FAILED' AND ${retryable}` : inState
  const select = `
    id, ${recordingId} AS "recordingId", priority, attempts,
    CASE status WHEN 'PROCESSING' THEN 'active' WHEN 'FAILED' THEN 'failed'
      ELSE CASE WHEN next_attempt_at > now() THEN 'delayed' ELSE 'waiting' END END AS state,
    CASE WHEN status = 'QUEUED' THEN next_attempt_at END AS "nextAttemptAt",
    started_at AS "startedAt", last_error AS "lastError", message_json AS "messageJson"
    ${calls && receiver ? `, ${receiver} AS receiver` : ''}`
  const page = await listPage<JobRow>(core.pool, { select, from: `${table} j WHERE ${where}`, order }, query)
  const items = page.items.map(({ messageJson, ...job }) => ({
    ...job,
    lastError: formatReason(job.lastError, messageJson),
  }))
  return { ...page, items: calls ? await addCalls(core, items) : items }
}

/** Adds recordings to jobs. Omits jobs whose recording has been deleted, and keeps jobs without a recording. */
async function addCalls(core: Core, jobs: JobRow[]): Promise<(JobRow & Pick<QueueJobJson, 'call'>)[]> {
  const { rows } = await core.pool.query<RecordingRow>({
    text: `${SELECT_RECORDING_SQL} WHERE r.id = ANY($1::uuid[])`,
    values: [jobs.flatMap(({ recordingId }) => recordingId ?? [])],
  })
  await addRecordingForecasts(core, rows)
  const calls = new Map(rows.map((row) => [row.id, presentRecordingSummary(row)]))
  return jobs.flatMap((job) => {
    if (job.recordingId === null) return [job]
    const call = calls.get(job.recordingId)
    if (!call) return []
    const { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } = call
    return [{ ...job, call: { phoneNumber, managerName, fileName, durationSeconds, errorCode, progress } }]
  })
}

/** Pauses a queue in all processes and records a change in the audit log. Running jobs continue. */
export async function pauseQueue(core: Core, actor: Actor, queue: Queue): Promise<QueueJson> {
  await runInTransaction(core.db, async (sql) => {
    const hasChanged = await setQueuePaused(sql, queue.name, true)
    if (hasChanged) await recordAuditChange(sql, actor, { action: 'queue.pause', object: auditObjectOf(queue) })
  })
  core.log.info({ queue: queue.name }, 'the queue is paused')
  return loadQueueState(core, queue)
}

/** Resumes a queue, wakes its workers and records a change in the audit log. */
export async function resumeQueue(core: Core, actor: Actor, queue: Queue): Promise<QueueJson> {
  await runInTransaction(core.db, async (sql) => {
    const hasChanged = await setQueuePaused(sql, queue.name, false)
    if (hasChanged) await recordAuditChange(sql, actor, { action: 'queue.resume', object: auditObjectOf(queue) })
  })
  core.log.info({ queue: queue.name }, 'the queue is resumed')
  core.notify(queue.name)
  return loadQueueState(core, queue)
}

/**
 * Retries all failed jobs of a queue for which a retry can help, and records this in the audit log.
 * @returns the number of jobs
 */
export async function retryFailedJobsOfQueue(core: Core, actor: Actor, queue: Queue): Promise<number> {
  const retried = await runInTransaction(core.db, async (sql) => {
    const count = await (queue.retryFailed ? queue.retryFailed(sql, actor) : requeueFailedJobs(sql, queue))
    const entry = { action: 'queue.retry-failed', object: auditObjectOf(queue), details: { retried: count } } as const
    if (count > 0) await recordAuditChange(sql, actor, entry)
    return count
  })
  core.notify(queue.name)
  return retried
}

const auditObjectOf = ({ name }: Queue): AuditObject => ({ type: 'queue', id: name, name })
