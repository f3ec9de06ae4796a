import type { TranscriptExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { getScoreBand, type ScoreBandLimits } from '../frame/score-bands.ts'
import { formatCallFailureReason } from '../recording/view.ts'

interface ExcerptPiece {
  text: string
  match: boolean
  synonymOf?: string | null | undefined
}

/** The column is narrow, so an excerpt starts at most about this many characters before its first match. */
const LEAD_CHARACTERS = 18

/** Splits an excerpt into matches and the text between them. Cuts the beginning if the first match is far behind. */
function splitExcerpt({ text, matches, synonymOf }: TranscriptExcerptJson): ExcerptPiece[] {
  const pieces: ExcerptPiece[] = []
  const first = matches[0]?.[0] ?? 0
  let at = first > LEAD_CHARACTERS + 6 ? text.indexOf(' ', first - LEAD_CHARACTERS) + 1 || first : 0
  if (at > first) at = first
  if (at > 0) pieces.push({ text: '…', match: false })
  for (const [n, [start, end]] of matches.entries()) {
    pieces.push({ text: text.slice(at, start), match: false })
    pieces.push({ text: text.slice(start, end), match: true, synonymOf: synonymOf[n] })
    at = end
  }
  return [...pieces, { text: text.slice(at), match: false }].filter(({ text }) => text !== '')
}

/** Builds a row of the list of calls. @param q search, which the link to a matching call keeps */
export function buildCallListRow(
  recording: RecordingJson,
  excerpt: TranscriptExcerptJson | undefined,
  q: string | undefined,
  language: Language,
  bands: ScoreBandLimits,
) {
  const { words, format } = language
  const { id, phoneNumber, managerName, direction, durationSeconds, fileName, score, scoreIsMock } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const shownTime = format.shortTime(time)
  return {
    id,
    // If the transcript matches the search, the page of the call also gets the search.
    href: q && excerpt?.more ? `/recordings/${id}?${new URLSearchParams({ q }).toString()}` : `/recordings/${id}`,
    iso: time,
    time: shownTime,
    select: words.recordings.select([shownTime, phoneNumber ?? fileName].filter(Boolean).join(', ')),
    direction: direction && { arrow: direction === 'INBOUND' ? '↙' : '↗', word: words.recordings.direction[direction] },
    phone: format.phone(phoneNumber),
    file: phoneNumber === null ? fileName : null,
    manager: managerName,
    length: durationSeconds === null ? null : format.length(durationSeconds),
    score: score === null ? null : format.number(Math.round(score)),
    band: score === null || scoreIsMock ? '' : `score-${getScoreBand(score, bands)}`,
    mock: scoreIsMock ? words.recording.check.mockName : null,
    badge: buildBadge(recording, language),
    status: recording.status,
    ...buildRowText(recording, excerpt, language),
  }
}

/** Formats the status as one word, or as the progress or the position in the queue. */
function buildBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const { recordings } = words
  if (status === 'PROCESSING' && progress.percent > 0) {
    return { kind: 'processing', text: words.common.percent(format.number(progress.percent)) }
  }
  const hasPosition = status === 'QUEUED' && progress.position !== null
  return {
    kind: status.toLowerCase(),
    text: hasPosition ? recordings.queuedAt(progress.position!) : recordings.status[status],
  }
}

/** Builds the excerpt of a transcribed call. Other calls get a note about their progress or failure. */
function buildRowText(recording: RecordingJson, excerpt: TranscriptExcerptJson | undefined, language: Language) {
  const { status, progress, attempts } = recording
  const { recordings } = language.words
  const buildNote = (text: string) => ({ pieces: [], note: text })
  switch (status) {
    case 'DONE':
      if (!excerpt) return buildNote('')
      return excerpt.text === ''
        ? buildNote(recordings.noSpeech)
        : { pieces: splitExcerpt(excerpt), note: null, all: excerpt.text }
    case 'PROCESSING':
      if (progress.etaSeconds !== null) return buildNote(recordings.left(progress.etaSeconds))
      return buildNote(progress.percent > 0 ? recordings.transcribing : '') // At 0 %, the badge says it.
    case 'QUEUED': {
      const attemptText = attempts > 0 ? recordings.attempt(attempts + 1) : ''
      const estimate = progress.etaSeconds === null ? '' : recordings.doneIn(progress.etaSeconds)
      const eta = progress.paused ? recordings.paused : estimate
      return buildNote([attemptText, eta].filter(Boolean).join(', '))
    }
    case 'FAILED':
      return { ...buildNote(formatCallFailureReason(recording, language)), failed: true }
    default:
      return buildNote('')
  }
}
