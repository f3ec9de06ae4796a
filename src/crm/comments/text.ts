import { createHash } from 'node:crypto'
import { Temporal } from 'temporal-polyfill'
import type { Config } from '../../platform/config/config.ts'
import type { Sql } from '../../platform/db/sql.ts'

/** The values of a call that its comment shows. */
export interface CommentedCall {
  recordingId: string
  startedAt: Date
  direction: 'INBOUND' | 'OUTBOUND' | null
  durationSeconds: number | null
  managerName: string | null
  /** The score from 0 to 100; null if the call has none. */
  score: number | null
  /** The names of the missed rules. */
  missed: string[]
}

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const MAX_MISSED_RULES = 10

/**
 * Formats the last line of a comment, by which we find the comment again. It is the URL of the recording. Without a public URL,
 * it is `svc:` and the recording id.
 */
export const formatCommentMarker = (recordingId: string, publicBaseUrl: string | undefined): string =>
  publicBaseUrl ? `${publicBaseUrl.replace(/\/+$/, '')}/recordings/${recordingId}` : `svc:${recordingId}`

/**
 * Formats the comment of a call. Square brackets in names are replaced, because they are markup of the portal.
 * @param publicBaseUrl the URL of the panel for the link
 */
export function formatCrmComment(call: CommentedCall, timeZone: string, publicBaseUrl: string | undefined): string {
  const { score, missed } = call
  const shown = missed.slice(0, MAX_MISSED_RULES).map(escapeMarkup)
  const more = missed.length > MAX_MISSED_RULES ? `; ${missed.length - MAX_MISSED_RULES} more` : ''
  const missedText = shown.length > 0 ? ` Missed: ${shown.join('; ')}${more}.` : ''
  const lines = [
    ['Call ' + formatCallTime(call.startedAt, timeZone), ...formatCallDetails(call)].join(', '),
    score === null ? '' : `Score ${Math.round(score)} of 100.${missedText}`,
    formatCommentMarker(call.recordingId, publicBaseUrl),
  ]
  return lines.filter(Boolean).join('\n')
}

const COMMENT_START = /^Call \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}/
const MARKUP_PATTERN = /\[[^[\]]{0,300}\]|<[^<>]{0,300}>/g

/**
 * Returns true if we wrote this comment of a recording, with any score and link markup.
 * It tests the start and the end, because people can quote our links.
 */
export function isOwnCommentText(text: string, recordingId: string): boolean {
  const plainText = text.replaceAll(MARKUP_PATTERN, ' ').trim()
  return COMMENT_START.test(plainText) && plainText.endsWith(recordingId)
}

/** Formats the comment of a call that now belongs to another deal. */
export function formatMovedCrmComment(
  call: CommentedCall,
  timeZone: string,
  publicBaseUrl: string | undefined,
): string {
  const [first] = formatCrmComment(call, timeZone, publicBaseUrl).split('\n')
  return [first, 'This call belongs to another deal.', formatCommentMarker(call.recordingId, publicBaseUrl)].join('\n')
}

function formatCallDetails({ direction, durationSeconds, managerName }: CommentedCall): string[] {
  const directionNames = direction === null ? [] : [direction === 'INBOUND' ? 'incoming' : 'outgoing']
  const length = durationSeconds === null ? [] : [formatDuration(Math.round(durationSeconds))]
  return [...directionNames, ...length, ...(managerName ? [escapeMarkup(managerName)] : [])]
}

function formatCallTime(time: Date, timeZone: string): string {
  const at = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone)
  const pad = (number: number) => String(number).padStart(2, '0')
  return `${at.day} ${MONTH_NAMES[at.month - 1]} ${at.year} ${pad(at.hour)}:${pad(at.minute)}`
}

function formatDuration(seconds: number): string {
  const [hours, minutes, remainingSeconds] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, remainingSeconds && `${remainingSeconds} s`]
  return parts.filter(Boolean).join(' ') || '0 s'
}

const escapeMarkup = (text: string): string =>
  text.replaceAll('[', '(').replaceAll(']', ')').replaceAll(/\s+/g, ' ').trim()

/** Hashes a comment, to detect whether its text changed. @returns SHA-256 in hexadecimal */
export const hashCommentText = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Loads the current values of a recording and formats its comment; undefined if the recording was deleted.
 * @param format formats the values
 */
export async function loadCrmCommentText(
  sql: Sql,
  config: Config,
  recordingId: string,
  format = formatCrmComment,
): Promise<string | undefined> {
  const { rows } = await sql.query<CommentedCall>({
    text: `SELECT r.id AS "recordingId", r.call_at AS "startedAt", r.direction, r.manager_name AS "managerName", r.score,
                  coalesce(r.duration_seconds,
                           (SELECT max(c.duration_seconds) FROM crm_calls c WHERE c.recording_id = r.id)) AS "durationSeconds",
                  ARRAY(SELECT coalesce(rule -> 'name' ->> 'en', f.rule_key)
                          FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
                               JOIN rule_set_versions v ON v.id = f.version_id
                               LEFT JOIN LATERAL jsonb_array_elements(v.rules) AS rule ON rule ->> 'key' = f.rule_key
                         WHERE a.recording_id = r.id AND a.is_current ORDER BY f.position) AS missed
             FROM recordings r WHERE r.id = $1`,
    values: [recordingId],
  })
  return rows[0] && format(rows[0], config.APP_TIMEZONE, config.PUBLIC_BASE_URL)
}
