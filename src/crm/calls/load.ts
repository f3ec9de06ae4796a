import type { Core } from '../../app/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import { SYSTEM } from '../../platform/http/access.ts'
import { ClaimLost, JobFailed, NotReady, type Job } from '../../platform/queue/queue.ts'
import { withStoredAudio } from '../../calls/recordings/audio-files.ts'
import { replaceAudio } from '../../calls/recordings/replace-audio.ts'
import { createRecording } from '../../calls/recordings/create.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { crmMessages } from '../messages.ts'
import type { Asking, Lane } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError, TOO_LARGE } from '../bitrix24/errors.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { noteAway } from './away.ts'
import { readRules, skipReason, type SkipReason } from './eligible.ts'
import { fetchFile, findFile, isSameFile, type FileMark } from '../bitrix24/files.ts'
import { callMessages } from './messages.ts'
import { chosenRow, readCalls } from '../bitrix24/calls.ts'
import { storeCalls, type CallRow } from './rows.ts'
import { learnUsers } from './users.ts'

/** Where a call's job stands, and how its call is loaded. */
export interface LoadOf {
  lane: Lane
  /** Of the recording. */
  priority: number
  isHistory: boolean
}

/** What becomes of a call. */
export type Outcome =
  | { state: 'skipped'; reason: SkipReason }
  | { state: 'awaiting-file' }
  /** `file` where it was loaded from the portal, and not submitted by somebody else. */
  | { state: 'received'; recordingId: string; file?: FileMark }

/** What a job has found: the rows of its call, the one that counts, and what becomes of it. */
export interface Loaded {
  parsed: ParsedRows<CallRow>
  chosen: CallRow
  outcome: Outcome
}

/** Reads a call and loads its recording, where it is one that is loaded. */
export async function loadCall(core: Core, job: Job, { lane, priority, isHistory }: LoadOf): Promise<Loaded> {
  const callId = await claimedCall(core, job)
  try {
    const webhook = webhookOf(core.config, 'read')
    if (!webhook) throw new NotReady(crmMessages.notSet(), 60)
    const asking: Asking = { webhook, lane, signal: job.signal }
    const parsed = await readCalls(core, asking, [callId])
    const chosen = chosenRow(parsed.values)
    if (!chosen) throw await whyNone(core, parsed)
    await learnUsers(core, asking, parsed.values)
    return { parsed, chosen, outcome: await decide(core, asking, chosen, { priority, isHistory }) }
  } catch (error) {
    // A call that has just ended is waited for: the portal is asked for it again after a short while, however long it is away.
    if (lane !== 'live' && isAway(error)) await noteAway(core)
    throw asJobError(error)
  }
}

/** A call whose row cannot be stored gets another error than an unknown call. */
async function whyNone(core: Core, parsed: ParsedRows<CallRow>): Promise<JobFailed> {
  if (parsed.rejected.length === 0) return new JobFailed(callMessages.unknown())
  await transaction(core.db, (sql) => storeCalls(sql, core.config, parsed))
  return new JobFailed(callMessages.rejected({ reason: parsed.rejected[0]!.reason }))
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
  core: Core,
  asking: Asking,
  call: CallRow,
  { priority, isHistory }: Pick<LoadOf, 'priority' | 'isHistory'>,
): Promise<Outcome> {
  const known = await findKnown(core, call)
  // One that somebody has submitted, or has deleted here, is left as it is.
  if (known && (!known.isOurs || known.isGone)) return { state: 'received', recordingId: known.recordingId }
  if (!known) {
    const reason = skipReason(call, await readRules(core.pool), isHistory)
    if (reason) return { state: 'skipped', reason }
  }
  if (call.file_id === null) {
    return known ? { state: 'received', recordingId: known.recordingId } : { state: 'awaiting-file' }
  }
  const file = await findFile(core, asking, call.file_id)
  if (!file) return known ? { state: 'received', recordingId: known.recordingId } : { state: 'awaiting-file' }
  if (known && isSame(known, file)) return { state: 'received', recordingId: known.recordingId, file }
  const limit = core.config.MAX_UPLOAD_MB * 1024 * 1024
  if (file.size > limit && !known) return { state: 'skipped', reason: 'too-large' }
  const audio = await fetchFile(core, asking, file, limit)
  const recordingId = await withStoredAudio(core, audio, async (stored) => {
    if (known) return replaceAudio(core, known.recordingId, stored).then(() => known.recordingId)
    const fields = { ...(await fieldsOf(core, call)), priority }
    return (await createRecording(core, SYSTEM, stored, fields, 'crm')).id
  }).catch(async (error: unknown) => {
    // Somebody was faster with the same call: it is that one.
    const registered = error instanceof HttpError && error.statusCode === 409 && (await findKnown(core, call))
    if (registered) return registered.recordingId
    throw error
  })
  return { state: 'received', recordingId, file }
}

interface Known {
  recordingId: string
  /** Loaded from the portal. */
  isOurs: boolean
  isGone: boolean
  fileId: string | null
  size: string | null
  version: string | null
}

/** The recording of a call, also one that was deleted. */
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

/** Whether the file is the one that was loaded; of a recording whose load was not noted any more it is. */
const isSame = ({ fileId, size, version }: Known, file: FileMark): boolean =>
  fileId === null || isSameFile({ fileId, size, version }, file)

const DIRECTIONS: Record<number, 'INBOUND' | 'OUTBOUND'> = { 1: 'OUTBOUND', 2: 'INBOUND', 3: 'INBOUND' }

async function fieldsOf(core: Core, call: CallRow) {
  const { rows } = await core.pool.query<{ name: string }>({
    text: 'SELECT m.name FROM crm_roster p JOIN managers m ON m.id = p.manager_id WHERE p.user_id = $1',
    values: [call.user_id],
  })
  const direction = DIRECTIONS[call.type]
  return {
    externalCallId: call.call_id,
    callStartedAt: call.started_at.toISOString(),
    ...(direction && { direction }),
    ...(call.phone_number && { phoneNumber: call.phone_number.slice(0, 64) }),
    ...(rows[0] && { managerName: rows[0].name }),
  }
}

/** Whether nothing is wrong with one call: the portal does not answer, or not as it should. */
const isAway = (error: unknown): error is PortalError =>
  error instanceof PortalError && error.verdict === 'retry' && !isOfCall(error)

const isOfCall = ({ method, code }: PortalError): boolean =>
  method === 'download' || method === 'disk.file.get' || code === TOO_LARGE

/** A portal that is away, or lets nobody in, costs no attempt; what is wrong with one call does. */
function asJobError(error: unknown): unknown {
  if (error instanceof CrmNotOn || isAway(error)) return new NotReady(error.reason, 10)
  if (!(error instanceof PortalError)) {
    return error instanceof HttpError ? new JobFailed([error.messages].flat()[0]!) : error
  }
  const { verdict, reason } = error
  const isOfAll = verdict === 'blocked' || verdict === 'limit' || verdict === 'operating'
  // One file that may not be read keeps no other call waiting.
  if (isOfAll || (verdict === 'denied' && !isOfCall(error))) return new NotReady(reason, 30)
  return new JobFailed(reason)
}
