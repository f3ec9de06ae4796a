import type { ExcerptJson, HistoryItemJson, WaveformJson } from '../recordings/evidence-schema.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import type { Language } from './i18n.ts'
import { historyOf } from './recording-history.ts'
import { linesOf } from './recording-lines.ts'
import { drawWave, sharesOf } from './recording-sound.ts'
import type { Person } from './visit.ts'

/** A status as the pages show it: one lower-case word, or how far it is. `kind` picks the colour. */
export function statusBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const running = status === 'PROCESSING' && progress.percent > 0
  return {
    kind: status.toLowerCase(),
    text: running ? words.common.percent(format.number(progress.percent)) : words.recordings.status[status],
  }
}

/** Why it failed, in the person's language where the reason is one of ours. */
export function failureReason({ errorCode, errorMessage }: RecordingJson, { words }: Language): string {
  return errorCode ? words.recordings.audioErrors[errorCode] : (errorMessage ?? words.recordings.failedUnknown)
}

/** What waits or runs: where it stands. */
export function progressNote({ status, progress }: RecordingJson, { words }: Language): string {
  if (status === 'QUEUED') return progress.position === null ? '' : words.recordings.place(progress.position)
  return progress.etaSeconds === null ? words.recordings.transcribing : words.recordings.left(progress.etaSeconds)
}

/** What a page of one recording is made of. */
export interface RecordingParts {
  recording: RecordingJson
  history: HistoryItemJson[]
  waveform: WaveformJson | undefined
  /** What was searched for in its text. */
  q: string
  found: ExcerptJson | undefined
}

/** One recording as its page shows it, to a person with these rights. */
export function recordingPage(parts: RecordingParts, person: Person, language: Language) {
  const { recording, q, found } = parts
  const { words, format } = language
  const { id, status, transcript, phoneNumber, managerName, fileName, progress, durationSeconds } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const mayManage = person.rights.manageRecordings === true
  const waitsOrRuns = status === 'QUEUED' || status === 'PROCESSING'
  const href = `/recordings/${id}`
  return {
    id,
    href,
    self: q ? `${href}?${new URLSearchParams({ q }).toString()}` : href,
    heading: phoneNumber ?? fileName ?? words.recording.title,
    manager: managerName,
    iso: time,
    time: format.longTime(time),
    badge: statusBadge(recording, language),
    status,
    live: waitsOrRuns,
    note: waitsOrRuns ? waitingNote(recording, language) : '',
    percent: progress.percent,
    failure: status === 'FAILED' ? failureReason(recording, language) : null,
    failedForGood: recording.errorCode !== null,
    mayListen: person.rights.audio === true && recording.errorCode !== 'AUDIO_MISSING',
    mayRetry: mayManage && (status === 'FAILED' || status === 'CANCELLED'),
    mayCancel: mayManage && waitsOrRuns,
    mayDelete: mayManage,
    sound: {
      seconds: durationSeconds,
      length: durationSeconds === null ? null : format.length(durationSeconds),
      wave: drawWave(parts.waveform),
      shares: transcript ? sharesOf(transcript.segments, durationSeconds, language) : [],
    },
    twoChannels: transcript?.segments.some(({ channel }) => channel > 0) ?? false,
    lines: transcript && linesOf(transcript, found, language),
    q,
    matches: found?.more ?? 0,
    details: details(recording, language),
    history: historyOf(parts.history, recording.errorCode, language),
  }
}

/** What waits: its place, and about when it is done; what runs: about how long it takes. */
function waitingNote(recording: RecordingJson, { words }: Language): string {
  const { status, progress } = recording
  const { place, left, doneIn, transcribing } = words.recordings
  if (status === 'PROCESSING') return progress.etaSeconds === null ? transcribing : left(progress.etaSeconds)
  const parts = [
    progress.position && place(progress.position),
    progress.etaSeconds !== null && doneIn(progress.etaSeconds),
  ]
  return parts.filter(Boolean).join(', ') || words.recording.pauses
}

/** The details that there are, as [name, value]. */
function details(recording: RecordingJson, { words, format }: Language): [string, string][] {
  const { detail } = words.recording
  const { direction, transcript, durationSeconds, priority, attempts, errorCode, errorMessage } = recording
  const decoder = transcript?.decoder ?? recording.decoder
  const rows: [string, string | null | undefined][] = [
    [detail.direction, direction && words.recordings.direction[direction]],
    [detail.department, recording.department?.name],
    [detail.callId, recording.externalCallId],
    [detail.source, words.recordings.source[recording.source]],
    [detail.file, recording.fileName],
    [detail.size, format.size(recording.sizeBytes)],
    [detail.length, durationSeconds === null ? null : format.length(durationSeconds)],
    [detail.model, transcript?.model],
    [detail.decoder, decoder && (words.recordings.decoder[decoder] ?? decoder)],
    [detail.language, transcript?.language],
    [detail.priority, priority > 0 ? format.number(priority) : null],
    [detail.attempts, format.number(attempts)],
    [detail.error, [errorCode, errorMessage].filter(Boolean).join(': ')],
    [detail.callback, recording.callbackUrl],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
