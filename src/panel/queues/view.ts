import type { QueueJobJson, QueueJobState, QueueJson } from '../../calls/jobs/schema.ts'
import type { CallLoad } from '../../reports/load/schema.ts'
import type { readTranscriptionQueueOperation } from '../../calls/transcription/schema.ts'
import type { ApiResponseBody } from '../frame/api-client.ts'
import type { Language } from '../frame/i18n.ts'

/** The response of GET /v1/queue. */
export type TranscriptionQueueJson = ApiResponseBody<typeof readTranscriptionQueueOperation>

/** Builds the tabs of the queues with their job counts. @param name the current queue */
export function buildQueueTabs(
  queues: QueueJson[],
  name: string,
  hrefOf: (name: string) => string,
  language: Language,
) {
  const { words, format } = language
  return queues.map((queue) => ({
    href: hrefOf(queue.name),
    text: words.queues.names[queue.name] ?? queue.name,
    count: format.number(queue.waiting + queue.delayed + queue.active),
    failed:
      queue.name === 'callbacks' && queue.failed > 0
        ? words.queues.failedCount(queue.failed, format.number(queue.failed))
        : null,
    paused: queue.paused,
    current: queue.name === name,
  }))
}

/** Builds the figures above the transcription queue: waiting, running, time until empty, and failed today. */
export function buildTranscriptionQueueCards(
  queue: TranscriptionQueueJson,
  today: CallLoad | undefined,
  { words, format }: Language,
) {
  const t = words.queues.cards
  const { waiting, running, waitingAudioSeconds: audioSeconds, etaSeconds } = queue
  const isIdle = waiting + running === 0
  // A paused queue does not become empty, so it has no estimated time.
  const eta = queue.paused ? null : etaSeconds
  const ended = today ? today.done + today.failed + today.cancelled : 0
  return [
    {
      name: t.waiting,
      value: format.number(waiting),
      note: waiting > 0 && audioSeconds !== null ? t.sound(audioSeconds) : '',
    },
    { name: t.running, value: format.number(running), note: '' },
    {
      name: t.emptyIn,
      value: isIdle ? t.empty : eta === null ? '—' : t.span(eta),
      note: queue.paused ? t.paused : isIdle ? '' : eta === null ? t.notMeasured : t.measured,
    },
    {
      name: t.failedToday,
      value: format.number(today?.failed ?? 0),
      note: ended > 0 ? t.ofEnded(ended, format.number(ended)) : '',
    },
  ]
}

/**
 * Builds the table with jobs of one state. @param before number of jobs on earlier pages @param href address of the complete list
 */
export function buildJobSection(
  queue: { name: string; paused: boolean },
  { state, items, total }: { state: QueueJobState; items: QueueJobJson[]; total: number },
  before: number,
  href: string,
  language: Language,
) {
  const { words, format } = language
  return {
    state,
    title: words.queues.states[state],
    total,
    shownTotal: format.number(total),
    columns: selectColumns(queue.name, state),
    rows: items.map((job, index) => buildJobRow(job, before + index + 1, queue, language)),
    more: total > before + items.length ? { href, text: words.queues.all(format.number(total)) } : null,
  }
}

type JobColumn =
  | 'position'
  | 'call'
  | 'manager'
  | 'length'
  | 'priority'
  | 'attempt'
  | 'receiver'
  | 'progress'
  | 'since'
  | 'when'
  | 'reason'
  | 'act'

/** Columns by job state and queue. `other` applies to all queues except transcription and callbacks. */
const JOB_COLUMNS: Record<QueueJobState, Record<'transcription' | 'callbacks' | 'other', JobColumn[]>> = {
  active: {
    transcription: ['call', 'manager', 'length', 'progress', 'when', 'act'],
    callbacks: ['call', 'receiver', 'attempt', 'when'],
    other: ['call', 'attempt', 'when'],
  },
  waiting: {
    transcription: ['position', 'call', 'manager', 'length', 'priority', 'since', 'when', 'act'],
    callbacks: ['position', 'call', 'receiver', 'attempt', 'since'],
    other: ['position', 'call', 'attempt', 'since'],
  },
  delayed: {
    transcription: ['call', 'manager', 'attempt', 'when', 'reason', 'act'],
    callbacks: ['call', 'receiver', 'attempt', 'when', 'reason'],
    other: ['call', 'attempt', 'when', 'reason'],
  },
  failed: {
    transcription: ['call', 'manager', 'attempt', 'when', 'reason', 'act'],
    callbacks: ['call', 'receiver', 'attempt', 'when', 'reason', 'act'],
    other: ['call', 'attempt', 'when', 'reason'],
  },
}

/** Job states in the order of their sections. */
export const QUEUE_JOB_STATES = Object.keys(JOB_COLUMNS) as QueueJobState[]

const selectColumns = (queue: string, state: QueueJobState): JobColumn[] =>
  JOB_COLUMNS[state][queue === 'transcription' || queue === 'callbacks' ? queue : 'other']

function buildJobRow(
  job: QueueJobJson,
  position: number,
  queue: { name: string; paused: boolean },
  language: Language,
) {
  const { words, format } = language
  const { id, state, recordingId, call, attempts, priority, receiver, lastError } = job
  const percent = call?.progress.percent ?? 0
  return {
    id,
    recordingId,
    href: recordingId === null ? null : `/recordings/${recordingId}`,
    position: format.number(position),
    // A job without a call is named by its id.
    call:
      recordingId === null ? id : (format.phone(call?.phoneNumber ?? null) ?? call?.fileName ?? words.recording.title),
    manager: call?.managerName ?? '—',
    length: call?.durationSeconds == null ? '—' : format.length(call.durationSeconds),
    priority: format.number(priority),
    // The current attempt; for waiting jobs the next one.
    attempt: format.number(state === 'delayed' || state === 'waiting' ? attempts + 1 : attempts),
    percent,
    shownPercent: words.common.percent(format.number(percent)),
    since: formatWaitingSince(job, language),
    when: formatJobTime(job, queue.paused, language),
    receiver: receiver ?? '—',
    reason: call?.errorCode ? words.recordings.audioErrors[call.errorCode] : (lastError ?? ''),
    // A call with invalid audio would fail again, so it has no retry.
    verb: findAction(queue.name, state, Boolean(call?.errorCode)),
    // Callbacks are retried by their own id below the path of the call.
    subject: queue.name === 'transcription' ? recordingId : `${recordingId}/${id}`,
  }
}

type JobAction = 'retry' | 'cancel' | 'resend'

function findAction(queue: string, state: QueueJobState, isInvalid: boolean): JobAction | null {
  if (queue === 'callbacks') return state === 'failed' ? 'resend' : null
  if (queue !== 'transcription') return null
  if (state !== 'failed') return 'cancel'
  return isInvalid ? null : 'retry'
}

/** Formats since when a job waits. Omits the date if it is today. */
function formatWaitingSince({ state, nextAttemptAt: dueAt }: QueueJobJson, { words, format }: Language): string {
  if (state !== 'waiting' || dueAt === null) return ''
  const isToday = format.dayOf(dueAt) === format.dayOf(new Date().toISOString())
  return words.queues.since(isToday ? format.clock(dueAt) : format.shortTime(dueAt))
}

/** Formats the start of a failed job, the next attempt of a delayed one, or the estimated end. A paused queue has no estimates. */
function formatJobTime(
  { state, call, nextAttemptAt, startedAt }: QueueJobJson,
  paused: boolean,
  { words, format }: Language,
): string {
  const eta = call?.progress.etaSeconds ?? null
  if (state === 'failed') return startedAt ? format.shortTime(startedAt) : ''
  if (state === 'delayed') return nextAttemptAt ? format.clock(nextAttemptAt) : ''
  if (state === 'waiting') return paused || eta === null ? '—' : words.queues.about(eta)
  if (eta !== null) return words.queues.about(eta)
  return startedAt ? words.queues.since(format.clock(startedAt)) : ''
}
