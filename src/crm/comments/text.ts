import { createHash } from 'node:crypto'
import { Temporal } from 'temporal-polyfill'

/** What a comment tells of a call. */
export interface CommentedCall {
  recordingId: string
  startedAt: Date
  direction: 'INBOUND' | 'OUTBOUND' | null
  durationSeconds: number | null
  managerName: string | null
  /** Of the call check; null where there is none. */
  score: number | null
  /** The names of the rules that were missed. */
  missed: string[]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A long list of what was missed helps nobody. */
const MOST_MISSED = 10

/** By what a comment of ours is found again: its link to the recording, or, without a public address, a mark. */
export const markerOf = (recordingId: string, publicBaseUrl: string | undefined): string =>
  publicBaseUrl ? `${publicBaseUrl.replace(/\/+$/, '')}/recordings/${recordingId}` : `svc:${recordingId}`

/** The comment of a call, as it is written into its deal. */
export function commentText(call: CommentedCall, timeZone: string, publicBaseUrl: string | undefined): string {
  const { score, missed } = call
  const shown = missed.slice(0, MOST_MISSED).map(plain)
  const more = missed.length > MOST_MISSED ? `; ${missed.length - MOST_MISSED} more` : ''
  const failings = shown.length > 0 ? ` Missed: ${shown.join('; ')}${more}.` : ''
  const lines = [
    ['Call ' + when(call.startedAt, timeZone), ...about(call)].join(', '),
    score === null ? '' : `Score ${Math.round(score)} of 100.${failings}`,
    markerOf(call.recordingId, publicBaseUrl),
  ]
  return lines.filter(Boolean).join('\n')
}

const BEGINNING = /^Call \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}/
const MARKUP = /\[[^[\]]{0,300}\]|<[^<>]{0,300}>/g

/**
 * Whether a comment is one that we wrote of a recording, whatever the score was then and whatever markup the portal has put
 * around its link: it begins and ends as ours do. People may quote the link in comments of their own.
 */
export function isOwnText(text: string, recordingId: string): boolean {
  const bare = text.replaceAll(MARKUP, ' ').trim()
  return BEGINNING.test(bare) && bare.endsWith(recordingId)
}

/** What stands in the place of a comment whose call was found to belong to another deal. */
export function leftText(call: CommentedCall, timeZone: string, publicBaseUrl: string | undefined): string {
  const [first] = commentText(call, timeZone, publicBaseUrl).split('\n')
  return [first, 'This call belongs to another deal.', markerOf(call.recordingId, publicBaseUrl)].join('\n')
}

function about({ direction, durationSeconds, managerName }: CommentedCall): string[] {
  const way = direction === null ? [] : [direction === 'INBOUND' ? 'incoming' : 'outgoing']
  const length = durationSeconds === null ? [] : [lengthOf(Math.round(durationSeconds))]
  return [...way, ...length, ...(managerName ? [plain(managerName)] : [])]
}

function when(moment: Date, timeZone: string): string {
  const at = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${at.day} ${MONTHS[at.month - 1]} ${at.year} ${two(at.hour)}:${two(at.minute)}`
}

function lengthOf(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, rest && `${rest} s`]
  return parts.filter(Boolean).join(' ') || '0 s'
}

/** Square brackets would be markup of the portal. */
const plain = (text: string): string => text.replaceAll('[', '(').replaceAll(']', ')').replaceAll(/\s+/g, ' ').trim()

/** Tells whether the text that stands in the portal is still the one it should be. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
