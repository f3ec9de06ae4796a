import type { CallsCore } from '../calls/core.ts'
import type { Core } from '../platform/core.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { isAutomationOn, isWritingOn } from './automation/state.ts'
import { fetchCallAudio, type LoadResult } from './calls/fetch-call-audio.ts'
import { callMessages } from './calls/messages.ts'
import { writingMessages } from './comments/messages.ts'
import { failComment, WRITE_QUEUE_NAME, hashWriteWebhook } from './comments/rejection.ts'
import { completeComment, writeComment, type WriteResult } from './comments/write.ts'
import { completeLoad, failLoad } from './calls/complete-load.ts'
import { retryFailedCalls } from './history/worker.ts'
import { LOADS_SUSPENDED_SQL } from './steps/failure.ts'

/** With pauses of 30 s, doubled, the last attempt is made after an hour. */
const MAX_ATTEMPTS = 8

/** Before recordings of the history, after recordings that people wait for. */
const LIVE_PRIORITY = 5

const callQueueDefaults = {
  recordingColumn: 'recording_id',
  order: 'priority DESC, next_attempt_at, id',
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: (config) => config.CRM_FETCH_RETRY_DELAY_SECONDS,
  leaseSeconds: 60,
  messages: { workerDied: callMessages.workerDied(), broken: callMessages.broken() },
  isReady: canLoadCalls,
  store: completeLoad,
  fail: failLoad,
} satisfies Partial<Queue<LoadResult>>

/** Calls that have just ended, from events and the sweep. */
export const crmSyncQueue: Queue<LoadResult> = {
  ...callQueueDefaults,
  name: 'crm-sync',
  table: 'crm_sync_jobs',
  // Most of the time is spent on the download, which costs the portal only bandwidth.
  concurrency: () => 4,
  run: (core: CallsCore, job) => fetchCallAudio(core, job, { lane: 'live', priority: LIVE_PRIORITY, isHistory: false }),
}

/** Calls of the history, as confirmed by owners. */
export const crmLoadQueue: Queue<LoadResult> = {
  ...callQueueDefaults,
  name: 'crm-load',
  table: 'crm_load_jobs',
  blockedWhen: `history_load_id IN (SELECT id FROM crm_history_loads WHERE state <> 'running') OR ${LOADS_SUSPENDED_SQL}`,
  concurrency: () => 1,
  run: (core: CallsCore, job) => fetchCallAudio(core, job, { lane: 'history', priority: 0, isHistory: true }),
  // Other loads handle the rest of a cancelled load.
  retryable: `j.history_load_id IN (SELECT id FROM crm_history_loads WHERE state <> 'cancelled')`,
  retryFailed: (sql) => retryFailedCalls(sql, crmLoadQueue),
}

/** The portal works on a request for at most a minute, so no request of the last attempt is running at the next one. */
const MAX_REQUEST_SECONDS = 90

export const crmWriteQueue: Queue<WriteResult> = {
  name: WRITE_QUEUE_NAME,
  table: 'crm_comments',
  recordingColumn: 'recording_id',
  order: 'priority DESC, next_attempt_at, id',
  concurrency: () => 1,
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: (config) => Math.max(MAX_REQUEST_SECONDS, config.CRM_FETCH_RETRY_DELAY_SECONDS),
  leaseSeconds: MAX_REQUEST_SECONDS,
  messages: { workerDied: writingMessages.workerDied(), broken: writingMessages.broken() },
  pauseCause: hashWriteWebhook,
  isReady: isWritingOn,
  run: writeComment,
  store: completeComment,
  fail: failComment,
}

/** While the automation is off, events are stored but not handled; without a roster no call is loaded. */
async function canLoadCalls(core: Core): Promise<boolean> {
  if (!(await isAutomationOn(core)) || (await core.ownership.state()) !== 'ours') return false
  const { rowCount } = await core.pool.query({ text: 'SELECT FROM crm_roster LIMIT 1' })
  return rowCount === 1
}
