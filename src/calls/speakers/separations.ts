import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { toBilingualCode } from '../../platform/lib/messages.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import { recordingMessages, RECORDING_STATUS_NAMES } from '../recordings/messages.ts'
import type { RecordingStatus } from '../recordings/entity.ts'
import { transcriptMessages } from '../transcripts/messages.ts'
import { speakerMessages } from './messages.ts'
import type { SeparationJson } from './schema.ts'

/** Calls that a person requested come before the calls of a run over a period. */
export const SEPARATION_PRIORITY = { run: 0, person: 8 } as const

/** SQL expression that is true if each of two channels of a recording r has one speaker. */
export const HAS_SPEAKER_PER_CHANNEL_SQL = `
  (r.speakers ->> 'method' IS NOT DISTINCT FROM 'channels' OR
   r.speakers IS NULL AND coalesce(
     (r.audio ->> 'channels')::int = 2 AND NOT (r.audio ->> 'identical')::boolean,
     (SELECT array_length(w.peaks, 1) = 2 FROM waveforms w WHERE w.recording_id = r.id), false))`

interface SeparationRow {
  recordingStatus: RecordingStatus
  hasChannels: boolean
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED' | 'CANCELLED' | null
  lastError: string | null
  messageJson: StoredReason | null
}

const STATUS_WORDS = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  DONE: 'done',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const

async function loadRow(sql: Sql, actor: Actor, id: string, lock = ''): Promise<SeparationRow> {
  const p = new SqlParameters()
  const { rows } = await sql.query<SeparationRow>({
    text: `SELECT r.status AS "recordingStatus", ${HAS_SPEAKER_PER_CHANNEL_SQL} AS "hasChannels", s.status,
                  s.last_error AS "lastError", s.message_json AS "messageJson"
             FROM recordings r LEFT JOIN separations s ON s.id = r.id
            WHERE ${p.and(visibleRecordingByIdCondition(actor, id))} ${lock}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}

/** Loads the state of the last separation of a call. @throws HttpError 404 if the actor cannot see the call */
export async function loadSeparation(core: Core, actor: Actor, id: string): Promise<SeparationJson> {
  return presentSeparation(await loadRow(core.pool, actor, id))
}

function presentSeparation({ status, lastError, messageJson }: SeparationRow): SeparationJson {
  if (!status) return { status: 'none', reason: null }
  const hasReason = status !== 'DONE' && status !== 'CANCELLED'
  return { status: STATUS_WORDS[status], reason: hasReason ? formatReason(lastError, messageJson) : null }
}

/**
 * Queues the separation of the speakers of a call.
 * @throws HttpError 404 if the actor cannot see the call, 409 if it is not DONE or has one speaker per channel
 */
export async function requestSeparation(core: Core, actor: Actor, id: string): Promise<SeparationJson> {
  const separation = await runInTransaction(core.db, async (sql) => {
    const { recordingStatus, hasChannels } = await loadRow(sql, actor, id, 'FOR NO KEY UPDATE OF r')
    if (recordingStatus !== 'DONE') {
      const status = toBilingualCode(recordingStatus, RECORDING_STATUS_NAMES)
      throw conflictError(transcriptMessages.notReady({ status }))
    }
    if (hasChannels) throw conflictError(speakerMessages.hasChannels())
    await enqueueSeparations(sql, [id], SEPARATION_PRIORITY.person)
    const object = { type: 'recording', id: id.toLowerCase() } as const
    await recordAuditChange(sql, actor, { action: 'recording.separate', object })
    return presentSeparation(await loadRow(sql, actor, id))
  })
  core.notify('separation')
  return separation
}

/**
 * Queues separations of calls. A waiting one keeps the higher of both priorities, and a running one continues. A waiting one that
 * a person requested does not become part of a run.
 */
export async function enqueueSeparations(
  sql: Sql,
  ids: string[],
  priority: number,
  runId: string | null = null,
): Promise<void> {
  await sql.query({
    text: `INSERT INTO separations AS s (id, priority, run_id) SELECT id, $2, $3 FROM unnest($1::uuid[]) AS r (id)
           ON CONFLICT (id) DO UPDATE SET
             priority = CASE WHEN s.status = 'QUEUED' THEN greatest(s.priority, excluded.priority) ELSE excluded.priority END,
             run_id = CASE WHEN s.status = 'QUEUED' AND s.run_id IS NULL THEN NULL ELSE excluded.run_id END,
             status = 'QUEUED', attempts = 0, next_attempt_at = now(), last_error = NULL, message_json = NULL,
             created_at = now(), started_at = NULL, finished_at = NULL
           WHERE s.status <> 'PROCESSING'`,
    values: [ids, priority, runId],
  })
}
