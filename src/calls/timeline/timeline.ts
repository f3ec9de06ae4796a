import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { notFoundError } from '../../platform/errors.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { RecordingHistoryItemJson, RecordingWaveformJson } from './timeline-schema.ts'
import { recordingMessages } from '../recordings/messages.ts'
import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'

/**
 * Loads the peaks of a recording for its waveform.
 * @throws HttpError 404 if the actor cannot see the recording, or it has no waveform
 */
export async function loadRecordingWaveform(core: Core, actor: Actor, id: string): Promise<RecordingWaveformJson> {
  const p = new SqlParameters()
  const { rows } = await core.pool.query<{ durationSeconds: number; peaks: Buffer[] }>({
    text: `SELECT w.duration_seconds AS "durationSeconds", w.peaks
             FROM waveforms w JOIN recordings r ON r.id = w.recording_id
            WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noWaveform())
  const { durationSeconds, peaks } = rows[0]
  return { durationSeconds, peaks: peaks.map((channel) => [...channel]) }
}

interface RecordingState {
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED' | 'CANCELLED'
  attempts: number
  errorMessage: string | null
  messageJson: StoredReason | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

interface HistoryRow {
  at: Date
  kind: 'failed_attempt' | 'done' | 'failed' | 'cancelled' | 'retried'
  attempt: number | null
  startedAt: Date | null
  message: string | null
  messageJson: StoredReason | null
}

interface DeliveryRow {
  id: string
  event: 'recording.done' | 'recording.failed'
  state: 'waiting' | 'active' | 'delivered' | 'failed'
  createdAt: Date
  /** Null if no attempt is scheduled. */
  nextAttemptAt: Date | null
  /** Number of the attempt. This field and the following ones are null before the first attempt. */
  number: number | null
  at: Date | null
  durationMs: number | null
  statusCode: number | null
  error: string | null
  messageJson: StoredReason | null
  isLast: boolean
}

/**
 * Loads the events of a recording, oldest first.
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadRecordingHistory(core: Core, actor: Actor, id: string): Promise<RecordingHistoryItemJson[]> {
  const p = new SqlParameters()
  // One statement reads a consistent state.
  const { rows } = await core.pool.query<{ now: RecordingState; noted: HistoryRow[]; sent: DeliveryRow[] }>({
    text: `
      SELECT json_build_object('status', r.status, 'attempts', r.attempts, 'errorMessage', r.error_message, 'messageJson', r.message_json,
               'createdAt', r.created_at, 'startedAt', r.started_at, 'finishedAt', r.finished_at) AS now,
             (SELECT coalesce(json_agg(json_build_object('at', h.at, 'kind', h.kind, 'attempt', h.attempt,
                       'startedAt', h.started_at, 'message', h.message, 'messageJson', h.message_json) ORDER BY h.id), '[]')
                FROM transcription_history h WHERE h.recording_id = r.id) AS noted,
             (SELECT coalesce(json_agg(${DELIVERY_JSON_SQL} ORDER BY d.id, a.number), '[]')
                FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
               WHERE d.recording_id = r.id) AS sent
        FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  const { now: recordingState, noted: historyRows, sent } = parseTimes(rows[0])
  const items = [
    createItem(recordingState.createdAt, 'received'),
    ...presentAttempts(recordingState, historyRows),
    ...sent.map(presentDelivery),
  ]
  return items.sort((a, b) => a.at.localeCompare(b.at))
}

const DELIVERY_JSON_SQL = `json_build_object('id', d.id, 'event', d.event, 'createdAt', d.created_at,
  'state', CASE d.status WHEN 'QUEUED' THEN 'waiting' WHEN 'PROCESSING' THEN 'active' ELSE lower(d.status) END,
  'nextAttemptAt', CASE WHEN d.status = 'QUEUED' THEN d.next_attempt_at END, 'number', a.number, 'at', a.started_at,
  'durationMs', a.duration_ms, 'statusCode', a.status_code, 'error', a.error, 'messageJson', a.message_json,
  'isLast', a.number IS NULL OR a.number = (SELECT max(number) FROM delivery_attempts WHERE delivery_id = d.id))`

/** Converts times to Date, because JSON of Postgres contains them as text. */
function parseTimes<T>(value: T): T {
  const isTime = (key: string) => key === 'at' || key.endsWith('At')
  return JSON.parse(JSON.stringify(value), (key, one) => (isTime(key) && one ? new Date(one) : one)) as T
}

function createItem(
  at: Date,
  kind: RecordingHistoryItemJson['kind'],
  more: Partial<RecordingHistoryItemJson> = {},
): RecordingHistoryItemJson {
  return { at: at.toISOString(), kind, attempt: null, message: null, durationSeconds: null, delivery: null, ...more }
}

/**
 * Converts the history to items: the starts and ends of attempts, and the actions of people. Calls of the demo have no history:
 * the row of the recording provides their last end.
 */
function presentAttempts(recordingState: RecordingState, historyRows: HistoryRow[]): RecordingHistoryItemJson[] {
  const { status, attempts: attempt, startedAt, finishedAt, errorMessage: message, messageJson } = recordingState
  const all = [...historyRows]
  if (status === 'DONE' || status === 'FAILED' || status === 'CANCELLED') {
    const kind = status.toLowerCase() as 'done' | 'failed' | 'cancelled'
    const last = historyRows.findLast((one) => one.kind === kind)
    if (finishedAt && last?.at.getTime() !== finishedAt.getTime()) {
      all.push({ at: finishedAt, kind, attempt: startedAt && attempt, startedAt, message, messageJson })
    }
  }
  const items = all.flatMap((one) => [
    ...(one.startedAt ? [createItem(one.startedAt, 'started', { attempt: one.attempt })] : []),
    createItem(one.at, one.kind, {
      attempt: one.attempt,
      message: formatReason(one.message, one.messageJson),
      durationSeconds: one.startedAt && secondsBetween(one.startedAt, one.at),
    }),
  ])
  if (status === 'PROCESSING' && startedAt) items.push(createItem(startedAt, 'started', { attempt }))
  return items
}

const secondsBetween = (from: Date, to: Date): number => Math.max(0, (to.getTime() - from.getTime()) / 1000)

/** Converts an attempt of a delivery to an item, or the planned first attempt. */
function presentDelivery(sent: DeliveryRow): RecordingHistoryItemJson {
  const { id, event, statusCode, state, number, durationMs, isLast } = sent
  const error = formatReason(sent.error, sent.messageJson)
  const nextAttemptAt = isLast ? (sent.nextAttemptAt?.toISOString() ?? null) : null
  return createItem(sent.at ?? sent.createdAt, 'callback', {
    durationSeconds: durationMs === null ? null : durationMs / 1000,
    delivery: { id, attempt: number ?? 0, event, statusCode, error, nextAttemptAt, state },
  })
}
