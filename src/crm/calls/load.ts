import type { Core } from '../../platform/core.ts'
import type { CallsCore } from '../../calls/core.ts'
import { storeAudio, withStoredAudio, type StoredAudio } from '../../calls/recordings/audio-files.ts'
import { createRecording } from '../../calls/recordings/create.ts'
import { replaceAudio } from '../../calls/recordings/replace-audio.ts'
import { transaction } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import { SYSTEM } from '../../platform/http/actor.ts'
import { IS_DUE } from '../../platform/queue/claims.ts'
import { ClaimLost, JobFailed, NotReady, type Job } from '../../platform/queue/queue.ts'
import { chosenRow, directionOf, fetchCalls, type CallRow } from '../bitrix24/calls.ts'
import type { Asking, Lane } from '../bitrix24/client.ts'
import { openPortalFile } from '../bitrix24/download.ts'
import { CrmNotOn, PortalError, TOO_LARGE } from '../bitrix24/errors.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import {
  findFile,
  isOfFile,
  isSameFile,
  type DescribedFile,
  type FileMark,
  type LoadedFile,
} from '../bitrix24/files.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { crmMessages } from '../messages.ts'
import { markPortalDown } from '../steps/failure.ts'
import { loadRules, skipReason, type SkipReason } from './eligible.ts'
import { callMessages } from './messages.ts'
import { storeCalls } from './rows.ts'
import { fetchUnknownUsers } from '../steps/full-pass.ts'

interface LoadOptions {
  lane: Lane
  priority: number
  isHistory: boolean
}

type Outcome =
  | { state: 'skipped'; reason: SkipReason }
  | { state: 'awaiting-file' }
  /** `file` if it was loaded from the portal, not submitted by an integration. */
  | { state: 'received'; recordingId: string; file?: FileMark }

/** The result of a job: the rows of its call, and the row that counts with its outcome. */
export interface Loaded {
  calls: ParsedRows<CallRow>
  chosen: CallRow
  outcome: Outcome
}

/** Fetches a call, and loads its recording if it should be loaded. */
export async function loadCall(core: CallsCore, job: Job, options: LoadOptions): Promise<Loaded> {
  const { lane } = options
  const callId = await claimedCall(core, job)
  try {
    const webhook = webhookOf(core.config, 'read')
    if (!webhook) throw new NotReady(crmMessages.notSet(), 60)
    const asking: Asking = { webhook, lane, signal: job.signal }
    const calls = await fetchCalls(core, asking, 'CALL_ID', [callId])
    const chosen = chosenRow(calls.values)
    if (!chosen) throw await failWithoutRow(core, calls)
    await fetchUnknownUsers(core, asking, calls.values)
    return { calls, chosen, outcome: await decide(core, asking, chosen, options) }
  } catch (error) {
    // Calls that just ended keep their short retries, however long the portal is down.
    if (lane !== 'live' && isOutage(error)) await markPortalDown(core)
    throw asJobError(error)
  }
}

/** A call whose row cannot be stored gets another error than an unknown call. */
async function failWithoutRow(core: Core, calls: ParsedRows<CallRow>): Promise<JobFailed> {
  if (calls.rejected.length === 0) return new JobFailed(callMessages.unknown())
  await transaction(core.db, (sql) => storeCalls(sql, core.config, calls))
  return new JobFailed(callMessages.rejected({ reason: calls.rejected[0]!.reason }))
}

async function claimedCall(core: Core, { queue, id, token }: Job): Promise<string> {
  const { rows } = await core.pool.query<{ call_id: string }>({
    text: `SELECT call_id FROM ${queue.table} WHERE id = $1 AND attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new ClaimLost()
  return rows[0].call_id
}

async function decide(
  core: CallsCore,
  asking: Asking,
  call: CallRow,
  { priority, isHistory }: LoadOptions,
): Promise<Outcome> {
  const known = await findKnown(core, call)
  const unchanged: Outcome = known ? { state: 'received', recordingId: known.recordingId } : { state: 'awaiting-file' }
  // Recordings that were submitted, or deleted here, stay as they are.
  if (known && (!known.isOurs || known.isGone)) return unchanged
  const reason = known ? undefined : skipReason(call, await loadRules(core.pool), isHistory)
  if (reason) return { state: 'skipped', reason }
  const file = call.file_id === null ? undefined : await findFile(core, asking, call.file_id)
  if (!file) return unchanged
  // The file is the loaded one; assumed if the load was not recorded.
  if (known && (known.fileId === null || isSameFile(known, file)))
    return { state: 'received', recordingId: known.recordingId, file }
  const limit = core.config.MAX_UPLOAD_MB * 1024 * 1024
  if (file.size > limit && !known) return { state: 'skipped', reason: 'too-large' }
  const audio = await fetchFile(core, asking, file, limit)
  const recordingId = await withStoredAudio(core, audio, async (stored) => {
    if (known) return replaceAudio(core, known.recordingId, stored).then(() => known.recordingId)
    const fields = { ...(await fieldsOf(core, call)), priority }
    return (await createRecording(core, SYSTEM, stored, fields, 'crm')).id
  }).catch(async (error: unknown) => {
    // The same call was registered meanwhile.
    const registered = error instanceof HttpError && error.statusCode === 409 && (await findKnown(core, call))
    if (registered) return registered.recordingId
    throw error
  })
  return { state: 'received', recordingId, file }
}

interface Known extends LoadedFile {
  recordingId: string
  isOurs: boolean
  isGone: boolean
}

/** Finds the recording of a call, even if it was deleted. */
async function findKnown(core: Core, { call_id: callId }: CallRow): Promise<Known | undefined> {
  const { rows } = await core.pool.query<Known>({
    text: `SELECT coalesce(r.id, c.recording_id) AS "recordingId", r.id IS NULL AS "isGone", coalesce(r.source = 'crm', true) AS "isOurs",
                  c.loaded_file_id AS "fileId", c.file_size AS size, c.file_version AS version
             FROM (SELECT * FROM recordings WHERE external_call_id = $1) r
             FULL JOIN (SELECT * FROM crm_calls WHERE call_id = $1 AND recording_id IS NOT NULL
                         ORDER BY loaded_file_id IS NULL, id DESC LIMIT 1) c ON true`,
    values: [callId],
  })
  return rows[0]
}

/** Downloads a file into the storage. @throws PortalError */
async function fetchFile(core: Core, asking: Asking, file: DescribedFile, maxBytes: number): Promise<StoredAudio> {
  const isWanted = async () => asking.lane === 'live' && isNewCallWaiting(core)
  const download = await openPortalFile(core, asking, file.url, maxBytes, isWanted)
  try {
    return await storeAudio(core, download.body, file.name)
  } finally {
    await download.close()
  }
}

/** Whether a call that just ended waits for a worker. */
async function isNewCallWaiting({ pool }: Core): Promise<boolean> {
  const { rowCount } = await pool.query({
    text: `SELECT FROM crm_sync_jobs WHERE ${IS_DUE} AND attempts = 0 LIMIT 1`,
  })
  return rowCount === 1
}

async function fieldsOf(core: Core, call: CallRow) {
  const { rows } = await core.pool.query<{ name: string }>({
    text: 'SELECT m.name FROM crm_roster p JOIN managers m ON m.id = p.manager_id WHERE p.user_id = $1',
    values: [call.user_id],
  })
  const direction = directionOf(call)
  return {
    externalCallId: call.call_id,
    callStartedAt: call.started_at.toISOString(),
    ...(direction && { direction }),
    ...(call.phone_number && { phoneNumber: call.phone_number.slice(0, 64) }),
    ...(rows[0] && { managerName: rows[0].name }),
  }
}

/** Whether the portal does not answer, or not as it should, independently of this call. */
const isOutage = (error: unknown): error is PortalError =>
  error instanceof PortalError && error.verdict === 'retry' && !isOfCall(error)

const isOfCall = (error: PortalError): boolean => isOfFile(error) || error.code === TOO_LARGE

/** A portal that is down or rejects our credentials costs no attempt; a fault of one call does. */
function asJobError(error: unknown): unknown {
  if (error instanceof CrmNotOn || isOutage(error)) return new NotReady(error.reason, 10)
  if (error instanceof HttpError) return new JobFailed([error.messages].flat()[0]!)
  if (!(error instanceof PortalError)) return error
  const { verdict, reason } = error
  const isOfAll = verdict === 'blocked' || verdict === 'limit' || verdict === 'operating'
  // One unreadable file does not block other calls.
  if (isOfAll || (verdict === 'denied' && !isOfCall(error))) return new NotReady(reason, 30)
  return new JobFailed(reason)
}
