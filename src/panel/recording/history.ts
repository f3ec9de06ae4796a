import type { HistoryItemJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** The history of a recording for its page, and whether it will continue. */
export function historyOf(
  items: HistoryItemJson[],
  { errorCode, status }: Pick<RecordingJson, 'errorCode' | 'status'>,
  mayManage: boolean,
  language: Language,
) {
  const { format } = language
  // The end of an attempt includes its start.
  const told = items.filter(({ kind, attempt }, index) => {
    return kind !== 'started' || !items.slice(index + 1).some((later) => later.attempt === attempt && isEnd(later))
  })
  // Only the last delivery can be retried, and only while the recording is still in the state that it reports.
  const given = items.findLast(({ delivery }) => delivery !== null)?.delivery
  const isFailed = given?.state === 'failed' && given.event === `recording.${status.toLowerCase()}`
  // The page already shows why a call failed; with several failures, each shows its reason here.
  const isOnlyFailure = status === 'FAILED' && told.filter(({ kind }) => kind === 'failed').length === 1
  let day = ''
  const events = told.map((item) => {
    const isSameDay = format.dayOf(item.at) === day
    day = format.dayOf(item.at)
    const failed = item.kind.startsWith('fail') || (item.delivery !== null && !isAccepted(item.delivery))
    const time = isSameDay ? format.clock(item.at) : format.shortTime(item.at)
    const isSaid = isOnlyFailure && item.kind === 'failed'
    const text = isSaid ? language.words.recordings.status.FAILED : textOf(item, errorCode, language)
    return { iso: item.at, time, text, failed }
  })
  return {
    events,
    resend: isFailed && mayManage ? given.id : null,
    pending: items.some(({ delivery }) => delivery?.state === 'waiting' || delivery?.state === 'active'),
  }
}

const isEnd = ({ kind, durationSeconds }: HistoryItemJson): boolean => kind !== 'callback' && durationSeconds !== null

function textOf(item: HistoryItemJson, errorCode: RecordingJson['errorCode'], language: Language): string {
  const { words, format } = language
  const t = words.recording.events
  const { kind, attempt, message, durationSeconds, delivery } = item
  const took = durationSeconds === null ? '' : spanOf(durationSeconds, language)
  const nth = format.number(attempt ?? 1)
  const reason = message ?? ''
  switch (kind) {
    case 'received':
      return t.received
    case 'started':
      return t.started(nth)
    case 'failed_attempt':
      return t.failedAttempt(nth, reason)
    case 'done':
      return t.done(took, attempt !== null && attempt > 1 ? nth : null)
    case 'failed':
      return t.failed(errorCode ? words.recordings.audioErrors[errorCode] : reason)
    case 'cancelled':
      return t.cancelled
    case 'retried':
      return t.retried
    default:
      return delivery ? callbackText(delivery, language) : ''
  }
}

type Delivery = NonNullable<HistoryItemJson['delivery']>

const isAccepted = ({ attempt, statusCode }: Delivery): boolean =>
  attempt === 0 || (statusCode !== null && statusCode >= 200 && statusCode < 300)

function callbackText(delivery: Delivery, language: Language): string {
  const { words, format } = language
  const { attempt, statusCode, error, nextAttemptAt, state } = delivery
  const t = words.recording.events
  if (attempt === 0) return t.callbackWaits
  if (isAccepted(delivery)) return t.callbackAccepted(statusCode!)
  const what = statusCode === null ? t.callbackFailed(error ?? '') : t.callbackRefused(statusCode)
  if (nextAttemptAt) return `${what}; ${t.callbackAgain(format.clock(nextAttemptAt))}`
  return state === 'failed' ? `${what}; ${t.callbackGivenUp}` : what
}

/** 9 s, or 1:23 from a minute on. */
function spanOf(seconds: number, { words, format }: Language): string {
  if (seconds >= 60) return format.length(seconds)
  return words.recording.seconds(format.number(Math.max(1, Math.round(seconds))))
}
