import type { RecordingJson } from '../recordings/schema.ts'
import type { Language } from './i18n.ts'
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

/** A row of the list. */
export function recordingRow(recording: RecordingJson, language: Language) {
  const { words, format } = language
  const { id, status, phoneNumber, managerName, direction, durationSeconds, fileName } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const waitsOrRuns = status === 'QUEUED' || status === 'PROCESSING'
  return {
    id,
    href: `/recordings/${id}`,
    iso: time,
    time: format.shortTime(time),
    direction: direction && { arrow: direction === 'INBOUND' ? '↙' : '↗', word: words.recordings.direction[direction] },
    phone: phoneNumber,
    manager: managerName,
    length: durationSeconds === null ? null : format.length(durationSeconds),
    badge: statusBadge(recording, language),
    note:
      status === 'FAILED'
        ? failureReason(recording, language)
        : waitsOrRuns
          ? progressNote(recording, language)
          : (fileName ?? ''),
  }
}

/** One recording as its page shows it, to a person with these rights. */
export function recordingPage(recording: RecordingJson, person: Person, language: Language) {
  const { words, format } = language
  const { id, status, transcript, phoneNumber, managerName, fileName, progress } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const mayManage = person.rights.manageRecordings === true
  const waitsOrRuns = status === 'QUEUED' || status === 'PROCESSING'
  return {
    id,
    href: `/recordings/${id}`,
    heading: phoneNumber ?? fileName ?? words.recording.title,
    manager: managerName,
    iso: time,
    time: format.longTime(time),
    badge: statusBadge(recording, language),
    status,
    live: waitsOrRuns,
    note: waitsOrRuns ? progressNote(recording, language) : '',
    percent: progress.percent,
    failure: status === 'FAILED' ? failureReason(recording, language) : null,
    failedForGood: recording.errorCode !== null,
    mayListen: person.rights.audio === true && recording.errorCode !== 'AUDIO_MISSING',
    mayRetry: mayManage && (status === 'FAILED' || status === 'CANCELLED'),
    mayCancel: mayManage && waitsOrRuns,
    mayDelete: mayManage,
    twoChannels: transcript?.segments.some(({ channel }) => channel > 0) ?? false,
    lines: transcript?.segments.map((segment) => ({ ...segment, time: format.length(Math.floor(segment.start)) })),
    details: details(recording, language),
    history: history(recording, language),
  }
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

/** What happened to it, in order. */
function history(recording: RecordingJson, { words, format }: Language) {
  const { createdAt, startedAt, finishedAt, attempts, status } = recording
  const events = [{ iso: createdAt, text: words.recording.received }]
  if (startedAt && attempts > 0) events.push({ iso: startedAt, text: words.recording.started(attempts) })
  if (finishedAt && (status === 'DONE' || status === 'FAILED' || status === 'CANCELLED')) {
    const word = words.recording.finished[status]
    const took = startedAt && status === 'DONE' ? ` ${words.recording.took(span(startedAt, finishedAt))}` : ''
    events.push({ iso: finishedAt, text: word + took })
  }
  return events.map((event) => ({ ...event, time: format.shortTime(event.iso) }))

  function span(from: string, to: string): string {
    const seconds = (Date.parse(to) - Date.parse(from)) / 1000
    return seconds < 60
      ? words.recording.seconds(format.number(Math.max(1, Math.round(seconds))))
      : format.length(seconds)
  }
}
