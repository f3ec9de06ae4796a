import type { CallsCore } from '../calls/core.ts'
import type { Core } from '../platform/core.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { isCrmAutomationOn, isCommentWritingOn } from './automation/state.ts'
import { fetchCallAudio, type CallLoadResult } from './calls/fetch-call-audio.ts'
import { crmCallMessages } from './calls/messages.ts'
import { commentWritingMessages } from './comments/messages.ts'
import { failCrmComment, CRM_WRITE_QUEUE_NAME, hashWriteWebhook } from './comments/rejection.ts'
import { completeCrmComment, writeCrmComment, type CommentWriteResult } from './comments/write.ts'
import { completeCallLoad, failCallLoad } from './calls/complete-load.ts'
import { retryFailedHistoryCalls } from './history/worker.ts'
import { HISTORY_LOADS_SUSPENDED_SQL } from './steps/failure.ts'

/** With pauses that double from 30 s, the last attempt is about an hour after the first. */
const MAX_ATTEMPTS = 8

/** The transcription priority of live calls, from 0 to 10. History loads have 0, like uploads by default. */
const LIVE_PRIORITY = 5

const callQueueDefaults = {
  recordingColumn: 'recording_id',
  order: 'priority DESC, next_attempt_at, id',
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: (config) => config.CRM_FETCH_RETRY_DELAY_SECONDS,
  leaseSeconds: 60,
  messages: { workerDied: crmCallMessages.workerDied(), broken: crmCallMessages.broken() },
  isReady: canLoadCalls,
  store: completeCallLoad,
  fail: failCallLoad,
} satisfies Partial<Queue<CallLoadResult>>

/** Loads calls that are not part of a history load. Events, the steps `calls` and `files`, and corrections queue them. */
export const crmSyncQueue: Queue<CallLoadResult> = {
  ...callQueueDefaults,
  name: 'crm-sync',
  table: 'crm_sync_jobs',
  // Most time is spent on downloads, which do not occupy the lane of their request.
  concurrency: () => 4,
  run: (core: CallsCore, job) => fetchCallAudio(core, job, { lane: 'live', priority: LIVE_PRIORITY, isHistory: false }),
}

/** Loads past calls that an owner selected for a history load. */
export const crmHistoryLoadQueue: Queue<CallLoadResult> = {
  ...callQueueDefaults,
  name: 'crm-load',
  table: 'crm_load_jobs',
  blockedWhen: `history_load_id IN (SELECT id FROM crm_history_loads WHERE state <> 'running') OR ${HISTORY_LOADS_SUSPENDED_SQL}`,
  concurrency: () => 1,
  run: (core: CallsCore, job) => fetchCallAudio(core, job, { lane: 'history', priority: 0, isHistory: true }),
  // Failed calls of a cancelled load are not retried. Another load can request them.
  retryable: `j.history_load_id IN (SELECT id FROM crm_history_loads WHERE state <> 'cancelled')`,
  retryFailed: (sql) => retryFailedHistoryCalls(sql, crmHistoryLoadQueue),
}

/** Longer than the portal works on a request, so that no request of the last attempt still runs after this time. */
const MAX_REQUEST_SECONDS = 90

export const crmWriteQueue: Queue<CommentWriteResult> = {
  name: CRM_WRITE_QUEUE_NAME,
  table: 'crm_comments',
  recordingColumn: 'recording_id',
  order: 'priority DESC, next_attempt_at, id',
  concurrency: () => 1,
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: (config) => Math.max(MAX_REQUEST_SECONDS, config.CRM_FETCH_RETRY_DELAY_SECONDS),
  leaseSeconds: MAX_REQUEST_SECONDS,
  messages: { workerDied: commentWritingMessages.workerDied(), broken: commentWritingMessages.broken() },
  pauseCause: hashWriteWebhook,
  isReady: isCommentWritingOn,
  run: writeCrmComment,
  store: completeCrmComment,
  fail: failCrmComment,
}

/** Returns false if the automation is not on, the roster is empty, or the storage belongs to another installation. */
async function canLoadCalls(core: Core): Promise<boolean> {
  if (!(await isCrmAutomationOn(core)) || (await core.ownership.state()) !== 'ours') return false
  const { rowCount } = await core.pool.query({ text: 'SELECT FROM crm_roster LIMIT 1' })
  return rowCount === 1
}
