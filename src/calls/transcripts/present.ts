import type { RecordingJson } from '../recordings/schema.ts'
import { createCues } from './cues.ts'
import type { Segment } from './entity.ts'
import type { Agent } from './speakers.ts'
import type { TranscriptFormat, NAME_LANGUAGES } from './schema.ts'

type TranscriptJson = NonNullable<RecordingJson['transcript']>

/** Some segments of a transcript, with their text. */
export function sliceSegments(transcript: TranscriptJson, first = 0, count?: number): TranscriptJson {
  if (first === 0 && count === undefined) return transcript
  const segments = transcript.segments.slice(first, count === undefined ? undefined : first + count)
  return { ...transcript, text: segments.map(({ text }) => text).join('\n'), segments }
}

type NameLanguage = (typeof NAME_LANGUAGES)[number]

/** The names of the speakers 0 and 1; empty if they are not told apart. */
type SpeakerNames = [string, string] | []

const SPEAKER_NAMES: Record<NameLanguage, [agent: string, client: string]> = {
  en: ['Agent', 'Client'],
  ru: ['Менеджер', 'Клиент'],
}

/** Two voices of which nobody knows which is the agent's. */
const NEUTRAL_NAMES: Record<NameLanguage, [string, string]> = {
  en: ['Speaker 1', 'Speaker 2'],
  ru: ['Собеседник 1', 'Собеседник 2'],
}

/** The names of the speakers of a call. Empty if the sides are unknown. */
export function findSpeakerNames(
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
  /** The language of the speakers' names by default. */
  namesIn?: NameLanguage
  /** Formats the text of a call of `seconds`; with voices it includes the speakers. */
  write: (transcript: TranscriptJson, seconds: number, speakerNames?: SpeakerNames) => string
}

export const TEXT_FORMATS: Record<Exclude<TranscriptFormat, 'json'>, TextFormat> = {
  txt: { type: 'text/plain; charset=utf-8', write: formatText },
  srt: { type: 'application/x-subrip; charset=utf-8', namesIn: 'en', write: formatSrt },
  vtt: { type: 'text/vtt; charset=utf-8', namesIn: 'en', write: formatVtt },
}

/** The text alone, or with voices: each line with its time and speaker. */
function formatText({ text, segments }: TranscriptJson, _: number, speakerNames?: SpeakerNames): string {
  if (!speakerNames) return text ? `${text}\n` : ''
  return segments
    .map(
      (segment) =>
        `${formatClock(segment.start, '.').slice(0, -4)} ${formatSpeaker(segment, speakerNames)}${formatCueText(segment)}\n`,
    )
    .join('')
}

const findName = ({ speaker }: Segment, speakerNames: SpeakerNames): string | undefined =>
  speaker === 0 || speaker === 1 ? speakerNames[speaker] : undefined

function formatSpeaker(segment: Segment, speakerNames: SpeakerNames): string {
  const name = findName(segment, speakerNames)
  return name ? `${name}: ` : ''
}

/** SubRip: numbered cues, a comma before the milliseconds. */
function formatSrt({ segments }: TranscriptJson, seconds: number, speakerNames: SpeakerNames = []): string {
  return createCues(segments.map(joinLines), seconds, (segment) => formatSpeaker(segment, speakerNames))
    .map((cue, index) => `${index + 1}\n${formatCueTimes(cue, ',')}\n${cue.lines}\n`)
    .join('\n')
}

/** WebVTT (W3C) */
function formatVtt({ segments }: TranscriptJson, seconds: number, speakerNames: SpeakerNames = []): string {
  const cues = createCues(segments.map(joinLines), seconds).map((segment) => {
    const escaped = segment.lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const speakerName = findName(segment, speakerNames)
    return `${formatCueTimes(segment, '.')}\n${speakerName ? `<v ${speakerName}>` : ''}${escaped}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

const joinLines = (segment: Segment): Segment => ({ ...segment, text: formatCueText(segment) })

/** An empty line would end a cue. */
const formatCueText = ({ text }: Segment): string => {
  const lines = text.split(/[\r\n]/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

const formatCueTimes = ({ start, end }: Segment, separator: string): string =>
  `${formatClock(start, separator)} --> ${formatClock(end, separator)}`

/** Seconds as HH:MM:SS and milliseconds after `mark`. */
function formatClock(seconds: number, separator: string): string {
  const ms = Math.round(seconds * 1000)
  const padDigits = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${padDigits(h, 2)}:${padDigits(m, 2)}:${padDigits(s, 2)}${separator}${padDigits(ms % 1000, 3)}`
}
