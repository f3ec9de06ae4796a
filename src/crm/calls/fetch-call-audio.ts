import type { Core } from '../../platform/core.ts'
import type { CallsCore } from '../../calls/core.ts'
import { storeAudio, withStoredAudio, type StoredAudio } from '../../calls/recordings/audio-files.ts'
import { createRecording } from '../../calls/recordings/create.ts'
import { replaceRecordingAudio } from '../../calls/recordings/replace-audio.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/http/actor.ts'
import { IS_JOB_DUE_SQL } from '../../platform/queue/claims.ts'
import { JobClaimLostError, JobFailedError, JobNotReadyError, type Job } from '../../platform/queue/queue.ts'
import { chooseCrmCallRow, callDirectionOf, fetchPortalCalls, type CrmCallRow } from '../bitrix24/calls.ts'
import type { PortalAccess, Lane } from '../bitrix24/client.ts'
import { openPortalFile } from '../bitrix24/download.ts'
import { CrmAutomationOffError, PortalError, PORTAL_RESPONSE_TOO_LARGE_CODE } from '../bitrix24/errors.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import {
  fetchPortalFileInfo,
  isPortalFileError,
  isSamePortalFile,
  type PortalFileInfo,
  type PortalFileVersion,
  type LoadedPortalFile,
} from '../bitrix24/files.ts'
import { parsePortalWebhook } from '../bitrix24/webhook.ts'
import { crmMessages } from '../messages.ts'
import { suspendHistoryLoads } from '../steps/failure.ts'
import { loadCallEligibilityRules, findCallSkipReason, type CallSkipReason } from './eligibility.ts'
import { crmCallMessages } from './messages.ts'
import { storeCrmCalls } from './store-calls.ts'
import { loadUnknownPortalUsers } from '../steps/full-pass.ts'

interface LoadOptions {
  lane: Lane
  priority: number
  isHistory: boolean
}

type LoadOutcome =
  | { state: 'skipped'; reason: CallSkipReason }
  | { state: 'awaiting-file' }
  /** `file` if it was loaded from the portal, not submitted by an integration. */
  | { state: 'received'; recordingId: string; file?: PortalFileVersion }

/** The result of a load job: all rows of the call, the row that represents it, and the outcome. */
export interface CallLoadResult {
  calls: ParsedPortalRows<CrmCallRow>
  chosen: CrmCallRow
  outcome: LoadOutcome
}

/**
 * Fetches a call from the portal and, if the rules allow it, its recording.
 * @throws JobNotReadyError if no call can be loaded now, such as during an outage; JobFailedError if only this call fails;
 * JobClaimLostError
 */
export async function fetchCallAudio(core: CallsCore, job: Job, options: LoadOptions): Promise<CallLoadResult> {
  const { lane } = options
  const callId = await loadClaimedCallId(core, job)
  try {
    const webhook = parsePortalWebhook(core.config, 'read')
    if (!webhook) throw new JobNotReadyError(crmMessages.notSet(), 60)
    const access: PortalAccess = { webhook, lane, signal: job.signal }
    const calls = await fetchPortalCalls(core, access, 'CALL_ID', [callId])
    const chosen = chooseCrmCallRow(calls.values)
    if (!chosen) throw await recordMissingRow(core, calls)
    await loadUnknownPortalUsers(core, access, calls.values)
    return { calls, chosen, outcome: await resolveOutcome(core, access, chosen, options) }
  } catch (error) {
    // An outage suspends history loads only. New calls keep their short retries.
    if (lane !== 'live' && isOutage(error)) await suspendHistoryLoads(core)
    throw toJobError(error)
  }
}

/** Quarantines the rows of a call that cannot be stored. @returns the error of the job: the reason of such a row, or no data */
async function recordMissingRow(core: Core, calls: ParsedPortalRows<CrmCallRow>): Promise<JobFailedError> {
  if (calls.rejected.length === 0) return new JobFailedError(crmCallMessages.unknown())
  await runInTransaction(core.db, (sql) => storeCrmCalls(sql, core.config, calls))
  return new JobFailedError(crmCallMessages.rejected({ reason: calls.rejected[0]!.reason }))
}

async function loadClaimedCallId(core: Core, { queue, id, token }: Job): Promise<string> {
  const { rows } = await core.pool.query<{ call_id: string }>({
    text: `SELECT call_id FROM ${queue.table} WHERE id = $1 AND attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new JobClaimLostError()
  return rows[0].call_id
}

async function resolveOutcome(
  core: CallsCore,
  access: PortalAccess,
  call: CrmCallRow,
  { priority, isHistory }: LoadOptions,
): Promise<LoadOutcome> {
  const known = await findKnownRecording(core, call)
  const unchanged: LoadOutcome = known
    ? { state: 'received', recordingId: known.recordingId }
    : { state: 'awaiting-file' }
  // Submitted recordings, and recordings that were deleted here, stay unchanged.
  if (known && (!known.isOurs || known.isGone)) return unchanged
  const reason = known ? undefined : findCallSkipReason(call, await loadCallEligibilityRules(core.pool), isHistory)
  if (reason) return { state: 'skipped', reason }
  const file = call.file_id === null ? undefined : await fetchPortalFileInfo(core, access, call.file_id)
  if (!file) return unchanged
  // The file did not change, or the earlier load could not be recorded.
  if (known && (known.fileId === null || isSamePortalFile(known, file)))
    return { state: 'received', recordingId: known.recordingId, file }
  const maxBytes = core.config.MAX_UPLOAD_MB * 1024 * 1024
  if (file.size > maxBytes && !known) return { state: 'skipped', reason: 'too-large' }
  const audio = await downloadFile(core, access, file, maxBytes)
  const recordingId = await withStoredAudio(core, audio, async (stored) => {
    if (known) return replaceRecordingAudio(core, known.recordingId, stored).then(() => known.recordingId)
    const fields = { ...(await loadRecordingFields(core, call)), priority }
    return (await createRecording(core, SYSTEM_ACTOR, stored, fields, 'crm')).id
  }).catch(async (error: unknown) => {
    // Another process or an integration created the recording meanwhile.
    const registered = error instanceof HttpError && error.statusCode === 409 && (await findKnownRecording(core, call))
    if (registered) return registered.recordingId
    throw error
  })
  return { state: 'received', recordingId, file }
}

interface KnownRecording extends LoadedPortalFile {
  recordingId: string
  isOurs: boolean
  isGone: boolean
}

/** Also finds the id of a deleted recording. */
async function findKnownRecording(core: Core, { call_id: callId }: CrmCallRow): Promise<KnownRecording | undefined> {
  const { rows } = await core.pool.query<KnownRecording>({
    text: `SELECT coalesce(r.id, c.recording_id) AS "recordingId", r.id IS NULL AS "isGone", coalesce(r.source = 'crm', true) AS "isOurs",
                  c.loaded_file_id AS "fileId", c.file_size AS size, c.file_version AS version
             FROM (SELECT * FROM recordings WHERE external_call_id = $1) r
             FULL JOIN (SELECT * FROM crm_calls WHERE call_id = $1 AND recording_id IS NOT NULL
                         ORDER BY loaded_file_id IS NULL, id DESC LIMIT 1) c ON true`,
    values: [callId],
  })
  return rows[0]
}

/** @throws PortalError */
async function downloadFile(
  core: Core,
  access: PortalAccess,
  file: PortalFileInfo,
  maxBytes: number,
): Promise<StoredAudio> {
  const isSlotNeeded = async () => access.lane === 'live' && isNewCallWaiting(core)
  const download = await openPortalFile(core, access, file.url, maxBytes, isSlotNeeded)
  try {
    return await storeAudio(core, download.body, file.name)
  } finally {
    await download.close()
  }
}

async function isNewCallWaiting({ pool }: Core): Promise<boolean> {
  const { rowCount } = await pool.query({
    text: `SELECT FROM crm_sync_jobs WHERE ${IS_JOB_DUE_SQL} AND attempts = 0 LIMIT 1`,
  })
  return rowCount === 1
}

async function loadRecordingFields(core: Core, call: CrmCallRow) {
  const { rows } = await core.pool.query<{ name: string }>({
    text: 'SELECT m.name FROM crm_roster p JOIN managers m ON m.id = p.manager_id WHERE p.user_id = $1',
    values: [call.user_id],
  })
  const direction = callDirectionOf(call)
  return {
    externalCallId: call.call_id,
    callStartedAt: call.started_at.toISOString(),
    ...(direction && { direction }),
    ...(call.phone_number && { phoneNumber: call.phone_number.slice(0, 64) }),
    ...(rows[0] && { managerName: rows[0].name }),
  }
}

/** Returns true if the portal does not respond correctly, independent of this call. */
const isOutage = (error: unknown): error is PortalError =>
  error instanceof PortalError && error.verdict === 'retry' && !isCallError(error)

const isCallError = (error: PortalError): boolean =>
  isPortalFileError(error) || error.code === PORTAL_RESPONSE_TOO_LARGE_CODE

/** Outages, missing rights, limits and an automation that is off do not count as attempts. Errors of a single call do. */
function toJobError(error: unknown): unknown {
  if (error instanceof CrmAutomationOffError || isOutage(error)) return new JobNotReadyError(error.reason, 10)
  if (error instanceof HttpError) return new JobFailedError([error.messages].flat()[0]!)
  if (!(error instanceof PortalError)) return error
  const { verdict, reason } = error
  const isPortalWide = verdict === 'blocked' || verdict === 'limit' || verdict === 'operating'
  // One unreadable file must not block other calls.
  if (isPortalWide || (verdict === 'denied' && !isCallError(error))) return new JobNotReadyError(reason, 30)
  return new JobFailedError(reason)
}
