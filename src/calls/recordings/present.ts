import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import type { TranscriptSegment, TimingPrecision } from '../transcripts/entity.ts'
import { presentCallSpeakers, presentSegments } from '../transcripts/segment-speakers.ts'
import type {
  AudioErrorCode,
  AudioProperties,
  CallSpeakers,
  DecoderName,
  CallDirection,
  CallSource,
  RecordingStatus,
} from './entity.ts'
import type { DuplicateRecordingRow } from './duplicates.ts'
import type { RecordingJson } from './schema.ts'

/** A recording with all columns that its JSON needs, see RECORDING_COLUMNS_SQL. */
export interface RecordingRow {
  id: string
  status: RecordingStatus
  source: CallSource
  externalCallId: string | null
  phoneNumber: string | null
  managerName: string | null
  direction: CallDirection | null
  callStartedAt: Date | null
  priority: number
  decoder: DecoderName | null
  callbackUrl: string | null
  fileName: string | null
  sizeBytes: string
  durationSeconds: number | null
  attempts: number
  errorCode: AudioErrorCode | null
  errorMessage: string | null
  messageJson: StoredReason | null
  progressPercent: number
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  score: number | null
  mockScore: number | null
  audio: AudioProperties | null
  speakers: CallSpeakers | null
  /** The agent's channel or voice, if a person has chosen it. */
  agentChannel: 0 | 1 | null
  departmentId: string | null
  departmentName: string | null
  /** Selected only when a recording is created. */
  duplicateOf?: DuplicateRecordingRow | null
  /** `addRecordingForecasts()` sets this field and the two below. */
  position?: number | null
  etaSeconds?: number | null
  isPaused?: boolean
}

/** A recording with its transcript. Without one, `text` and the columns after it are null. */
export interface RecordingWithTranscriptRow extends RecordingRow {
  text: string | null
  model: string
  transcriptDecoder: string
  language: string
  timing: TimingPrecision | null
  segments: TranscriptSegment[]
}

export const RECORDING_COLUMNS_SQL = `
  r.id, r.status, r.source, r.external_call_id AS "externalCallId", r.phone_number AS "phoneNumber",
  r.manager_name AS "managerName", r.direction, r.call_started_at AS "callStartedAt", r.priority, r.decoder,
  r.callback_url AS "callbackUrl", r.file_name AS "fileName", r.size_bytes AS "sizeBytes",
  r.duration_seconds AS "durationSeconds", r.attempts, r.error_code AS "errorCode", r.error_message AS "errorMessage",
  r.message_json AS "messageJson",  r.progress_percent AS "progressPercent", r.created_at AS "createdAt", r.started_at AS "startedAt",
  r.finished_at AS "finishedAt", r.score, r.mock_score AS "mockScore", r.audio, r.speakers, r.agent_channel AS "agentChannel", d.id AS "departmentId", d.name AS "departmentName"`

/** Joins the department of the manager. A manager is in at most one roster. */
export const JOIN_DEPARTMENT_SQL = `
  LEFT JOIN department_managers m ON m.manager_id = r.manager_id
  LEFT JOIN departments d ON d.id = m.department_id`

export const SELECT_RECORDING_SQL = `SELECT ${RECORDING_COLUMNS_SQL} FROM recordings r ${JOIN_DEPARTMENT_SQL}`

export const RECORDINGS_FROM_SQL = `FROM recordings r LEFT JOIN transcripts t ON t.recording_id = r.id ${JOIN_DEPARTMENT_SQL}`

const TRANSCRIPT_COLUMNS_SQL = 't.text, t.model, t.decoder AS "transcriptDecoder", t.language, t.timing, t.segments'

export const SELECT_RECORDING_WITH_TRANSCRIPT_SQL = `SELECT ${RECORDING_COLUMNS_SQL}, ${TRANSCRIPT_COLUMNS_SQL} ${RECORDINGS_FROM_SQL}`

/** Converts a row to the JSON of a recording without its transcript, as in lists. */
export function presentRecordingSummary(row: RecordingRow): RecordingJson {
  return {
    id: row.id,
    status: row.status,
    source: row.source,
    externalCallId: row.externalCallId,
    phoneNumber: row.phoneNumber,
    managerName: row.managerName,
    direction: row.direction,
    callStartedAt: formatTime(row.callStartedAt),
    priority: row.priority,
    decoder: row.decoder,
    callbackUrl: row.callbackUrl,
    department: row.departmentId === null ? null : { id: row.departmentId, name: row.departmentName! },
    fileName: row.fileName,
    sizeBytes: Number(row.sizeBytes),
    durationSeconds: row.durationSeconds,
    attempts: row.attempts,
    errorCode: row.errorCode,
    errorMessage: formatReason(row.errorMessage, row.messageJson),
    progress: presentProgress(row),
    createdAt: row.createdAt.toISOString(),
    startedAt: formatTime(row.startedAt),
    finishedAt: formatTime(row.finishedAt),
    transcript: null,
    score: row.score ?? row.mockScore,
    ...(row.mockScore !== null && { scoreIsMock: true }),
    audio: row.audio && { ...row.audio, speakers: presentCallSpeakers(row.audio, row) },
    ...(row.duplicateOf && { duplicateOf: presentDuplicate(row.duplicateOf) }),
  }
}

/** Converts a row to the JSON of a recording with its transcript, as in GET and callbacks. */
export function presentRecording(row: RecordingWithTranscriptRow): RecordingJson {
  return { ...presentRecordingSummary(row), transcript: presentTranscript(row) }
}

/** Returns the transcript of a DONE recording, otherwise null. */
export function presentTranscript(row: RecordingWithTranscriptRow): RecordingJson['transcript'] {
  if (row.status !== 'DONE' || row.text === null) return null
  const { text, model, transcriptDecoder: decoder, language, timing, segments } = row
  return { text, model, decoder, language, timing, segments: presentSegments(segments, row) }
}

const presentDuplicate = (row: DuplicateRecordingRow): RecordingJson['duplicateOf'] => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
})

const formatTime = (time: Date | null): string | null => time && time.toISOString()

const STAGE_BY_STATUS = {
  QUEUED: 'queued',
  PROCESSING: 'transcribing',
  DONE: 'done',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const

function presentProgress(row: RecordingRow): RecordingJson['progress'] {
  const percent = row.status === 'DONE' ? 100 : Math.floor(row.progressPercent)
  return {
    stage: STAGE_BY_STATUS[row.status],
    percent,
    position: row.position ?? null,
    etaSeconds: row.etaSeconds ?? null,
    ...(row.isPaused && { paused: true }),
  }
}
