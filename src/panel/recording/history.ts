import type { RecordingHistoryItemJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'

/**
 * Builds the history of a call. `pending` is true while a callback waits or is being sent.
 * @param mayManage whether the person can retry a callback
 */
export function buildCallHistoryView(
  items: RecordingHistoryItemJson[],
  { errorCode, status }: Pick<RecordingJson, 'errorCode' | 'status'>,
  mayManage: boolean,
  language: Language,
) {
  const { format } = language
  // The end of an attempt shows its duration, so its `started` event is omitted.
  const shownItems = items.filter(({ kind, attempt }, index) => {
    return (
      kind !== 'started' || !items.slice(index + 1).some((later) => later.attempt === attempt && isAttemptEnd(later))
    )
  })
  // Offers to retry only the last callback, if it failed and reports the current status of the call.
  const lastDelivery = items.findLast(({ delivery }) => delivery !== null)?.delivery
  const isFailed = lastDelivery?.state === 'failed' && lastDelivery.event === `recording.${status.toLowerCase()}`
  // The page already shows the reason of a failed call. The history repeats reasons only if there are several failures.
  const isOnlyFailure = status === 'FAILED' && shownItems.filter(({ kind }) => kind === 'failed').length === 1
  let day = ''
  const events = shownItems.map((item) => {
    const isSameDay = format.dayOf(item.at) === day
    day = format.dayOf(item.at)
    const failed = item.kind.startsWith('fail') || (item.delivery !== null && !isAccepted(item.delivery))
    const time = isSameDay ? format.clock(item.at) : format.shortTime(item.at)
    const isShownAbove = isOnlyFailure && item.kind === 'failed'
    const text = isShownAbove ? language.words.recordings.status.FAILED : formatEvent(item, errorCode, language)
    return { iso: item.at, time, text, failed }
  })
  return {
    events,
    resend: isFailed && mayManage ? lastDelivery.id : null,
    pending: items.some(({ delivery }) => delivery?.state === 'waiting' || delivery?.state === 'active'),
  }
}

const isAttemptEnd = ({ kind, durationSeconds }: RecordingHistoryItemJson): boolean =>
  kind !== 'callback' && durationSeconds !== null

function formatEvent(
  item: RecordingHistoryItemJson,
  errorCode: RecordingJson['errorCode'],
  language: Language,
): string {
  const { words, format } = language
  const t = words.recording.events
  const { kind, attempt, message, durationSeconds, delivery } = item
  const duration = durationSeconds === null ? '' : formatDuration(durationSeconds, language)
  const attemptNumber = format.number(attempt ?? 1)
  const reason = message ?? ''
  switch (kind) {
    case 'received':
      return t.received
    case 'started':
      return t.started(attemptNumber)
    case 'failed_attempt':
      return t.failedAttempt(attemptNumber, reason)
    case 'done':
      return t.done(duration, attempt !== null && attempt > 1 ? attemptNumber : null)
    case 'failed':
      return t.failed(errorCode ? words.recordings.audioErrors[errorCode] : reason)
    case 'cancelled':
      return t.cancelled
    case 'retried':
      return t.retried
    default:
      return delivery ? formatCallbackEvent(delivery, language) : ''
  }
}

type Delivery = NonNullable<RecordingHistoryItemJson['delivery']>

const isAccepted = ({ attempt, statusCode }: Delivery): boolean =>
  attempt === 0 || (statusCode !== null && statusCode >= 200 && statusCode < 300)

function formatCallbackEvent(delivery: Delivery, language: Language): string {
  const { words, format } = language
  const { attempt, statusCode, error, nextAttemptAt, state } = delivery
  const t = words.recording.events
  if (attempt === 0) return t.callbackWaits
  if (isAccepted(delivery)) return t.callbackAccepted(statusCode!)
  const outcome = statusCode === null ? t.callbackFailed(error ?? '') : t.callbackRefused(statusCode)
  if (nextAttemptAt) return `${outcome}; ${t.callbackAgain(format.clock(nextAttemptAt))}`
  return state === 'failed' ? `${outcome}; ${t.callbackGivenUp}` : outcome
}

/** Formats seconds as `9 s`, or as `1:23` from one minute. */
function formatDuration(seconds: number, { words, format }: Language): string {
  if (seconds >= 60) return format.length(seconds)
  return words.recording.seconds(format.number(Math.max(1, Math.round(seconds))))
}
