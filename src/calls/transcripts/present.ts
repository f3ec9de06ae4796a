import type { RecordingJson } from '../recordings/schema.ts'
import { createSubtitleCues } from './cues.ts'
import type { TranscriptSegment } from './entity.ts'
import type { Agent } from './speakers.ts'
import type { TranscriptFormat, SPEAKER_NAME_LANGUAGES } from './schema.ts'

type TranscriptJson = NonNullable<RecordingJson['transcript']>

/**
 * Returns a transcript with only some of its segments, and their text.
 * @param first index of the first segment
 * @param count undefined for all further segments
 */
export function sliceTranscriptSegments(transcript: TranscriptJson, first = 0, count?: number): TranscriptJson {
  if (first === 0 && count === undefined) return transcript
  const segments = transcript.segments.slice(first, count === undefined ? undefined : first + count)
  return { ...transcript, text: segments.map(({ text }) => text).join('\n'), segments }
}

type NameLanguage = (typeof SPEAKER_NAME_LANGUAGES)[number]

/** The names of the speakers 0 and 1; empty if they are not separated. */
type SpeakerNames = [string, string] | []

const SPEAKER_NAMES: Record<NameLanguage, [agent: string, client: string]> = {
  en: ['Agent', 'Client'],
  ru: ['Менеджер', 'Клиент'],
}

/** The names of two speakers if it is uncertain which of them is the agent. */
const NEUTRAL_NAMES: Record<NameLanguage, [string, string]> = {
  en: ['Speaker 1', 'Speaker 2'],
  ru: ['Собеседник 1', 'Собеседник 2'],
}

/** Returns the names of the speakers of a call: neutral names if the agent is uncertain, none if no segment has a speaker. */
export function getSpeakerNames(
  { segments }: TranscriptJson,
  { agentChannel, isCertain }: Agent,
  language: NameLanguage,
): SpeakerNames {
  if (segments.every(({ speaker = null }) => speaker === null)) return []
  if (!isCertain) return NEUTRAL_NAMES[language]
  const [agent, client] = SPEAKER_NAMES[language]
  return agentChannel === 0 ? [agent, client] : [client, agent]
}

interface TextFormat {
  type: string
  /** Default language of the speakers' names. Without it, names appear only on request. */
  namesIn?: NameLanguage
  /**
   * Formats a transcript.
   * @param seconds length of the call, or Infinity if unknown
   * @param speakerNames the names to write; by default none
   */
  write: (transcript: TranscriptJson, seconds: number, speakerNames?: SpeakerNames) => string
}

export const TRANSCRIPT_TEXT_FORMATS: Record<Exclude<TranscriptFormat, 'json'>, TextFormat> = {
  txt: { type: 'text/plain; charset=utf-8', write: formatText },
  srt: { type: 'application/x-subrip; charset=utf-8', namesIn: 'en', write: formatSrt },
  vtt: { type: 'text/vtt; charset=utf-8', namesIn: 'en', write: formatVtt },
}

/** Formats the text. With `speakerNames`, each line has the time, the speaker if known, and a segment. */
function formatText({ text, segments }: TranscriptJson, _: number, speakerNames?: SpeakerNames): string {
  if (!speakerNames) return text ? `${text}\n` : ''
  return segments
    .map(
      (segment) =>
        `${formatClock(segment.start, '.').slice(0, -4)} ${formatSpeaker(segment, speakerNames)}${formatCueText(segment)}\n`,
    )
    .join('')
}

const findName = ({ speaker }: TranscriptSegment, speakerNames: SpeakerNames): string | undefined =>
  speaker === 0 || speaker === 1 ? speakerNames[speaker] : undefined

function formatSpeaker(segment: TranscriptSegment, speakerNames: SpeakerNames): string {
  const name = findName(segment, speakerNames)
  return name ? `${name}: ` : ''
}

/** Formats SubRip subtitles: numbered cues with a comma before the milliseconds. */
function formatSrt({ segments }: TranscriptJson, seconds: number, speakerNames: SpeakerNames = []): string {
  return createSubtitleCues(segments.map(joinLines), seconds, (segment) => formatSpeaker(segment, speakerNames))
    .map((cue, index) => `${index + 1}\n${formatCueTimes(cue, ',')}\n${cue.lines}\n`)
    .join('\n')
}

/** Formats WebVTT subtitles (W3C). */
function formatVtt({ segments }: TranscriptJson, seconds: number, speakerNames: SpeakerNames = []): string {
  const cues = createSubtitleCues(segments.map(joinLines), seconds).map((segment) => {
    const escaped = segment.lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const speakerName = findName(segment, speakerNames)
    return `${formatCueTimes(segment, '.')}\n${speakerName ? `<v ${speakerName}>` : ''}${escaped}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

const joinLines = (segment: TranscriptSegment): TranscriptSegment => ({ ...segment, text: formatCueText(segment) })

/** Joins the lines of a segment, because an empty line would end its cue. */
const formatCueText = ({ text }: TranscriptSegment): string => {
  const lines = text.split(/[\r\n]/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

const formatCueTimes = ({ start, end }: TranscriptSegment, separator: string): string =>
  `${formatClock(start, separator)} --> ${formatClock(end, separator)}`

/** Formats seconds as HH:MM:SS, the separator and three digits of milliseconds. */
function formatClock(seconds: number, separator: string): string {
  const ms = Math.round(seconds * 1000)
  const padDigits = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${padDigits(h, 2)}:${padDigits(m, 2)}:${padDigits(s, 2)}${separator}${padDigits(ms % 1000, 3)}`
}
