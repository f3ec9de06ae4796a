import type { RecordingJson } from '../recordings/schema.ts'
import { cuesOf } from './cues.ts'
import type { Segment } from './entity.ts'
import type { Format, NAME_LANGUAGES } from './schema.ts'

type TranscriptJson = NonNullable<RecordingJson['transcript']>

/** Some segments of a transcript, with their text. */
export function someSegments(transcript: TranscriptJson, first = 0, count?: number): TranscriptJson {
  if (first === 0 && count === undefined) return transcript
  const segments = transcript.segments.slice(first, count === undefined ? undefined : first + count)
  return { ...transcript, text: segments.map(({ text }) => text).join('\n'), segments }
}

type NameLanguage = (typeof NAME_LANGUAGES)[number]

/** The speakers by channel; empty if the call has one channel. */
type Voices = [string, string] | []

const NAMES: Record<NameLanguage, [agent: string, client: string]> = {
  en: ['Agent', 'Client'],
  ru: ['Менеджер', 'Клиент'],
}

export function voicesOf({ segments }: TranscriptJson, agentChannel: 0 | 1, language: NameLanguage): Voices {
  if (!segments.some(({ channel }) => channel > 0)) return []
  const [agent, client] = NAMES[language]
  return agentChannel === 0 ? [agent, client] : [client, agent]
}

interface TextFormat {
  type: string
  /** The language of the speakers' names by default. */
  namesIn?: NameLanguage
  /** Formats the text of a call of `seconds`; with voices it includes the speakers. */
  write: (transcript: TranscriptJson, seconds: number, voices?: Voices) => string
}

export const TEXT_FORMATS: Record<Exclude<Format, 'json'>, TextFormat> = {
  txt: { type: 'text/plain; charset=utf-8', write: writeText },
  srt: { type: 'application/x-subrip; charset=utf-8', namesIn: 'en', write: writeSrt },
  vtt: { type: 'text/vtt; charset=utf-8', namesIn: 'en', write: writeVtt },
}

/** The text alone, or with voices: each line with its time and speaker. */
function writeText({ text, segments }: TranscriptJson, _: number, voices?: Voices): string {
  if (!voices) return text ? `${text}\n` : ''
  return segments
    .map((segment) => `${clock(segment.start, '.').slice(0, -4)} ${spoken(segment, voices)}${cueText(segment)}\n`)
    .join('')
}

const spoken = ({ channel }: Segment, voices: Voices): string => (voices[channel] ? `${voices[channel]}: ` : '')

/** SubRip: numbered cues, a comma before the milliseconds. */
function writeSrt({ segments }: TranscriptJson, seconds: number, voices: Voices = []): string {
  return cuesOf(segments.map(onOneLine), seconds, (segment) => spoken(segment, voices))
    .map((cue, index) => `${index + 1}\n${times(cue, ',')}\n${cue.lines}\n`)
    .join('\n')
}

/** WebVTT (W3C) */
function writeVtt({ segments }: TranscriptJson, seconds: number, voices: Voices = []): string {
  const cues = cuesOf(segments.map(onOneLine), seconds).map((segment) => {
    const escaped = segment.lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const voice = voices[segment.channel]
    return `${times(segment, '.')}\n${voice ? `<v ${voice}>` : ''}${escaped}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

const onOneLine = (segment: Segment): Segment => ({ ...segment, text: cueText(segment) })

/** An empty line would end a cue. */
const cueText = ({ text }: Segment): string => {
  const lines = text.split(/[\r\n]/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

const times = ({ start, end }: Segment, mark: string): string => `${clock(start, mark)} --> ${clock(end, mark)}`

/** Seconds as HH:MM:SS and milliseconds after `mark`. */
function clock(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1000)
  const part = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${part(h, 2)}:${part(m, 2)}:${part(s, 2)}${mark}${part(ms % 1000, 3)}`
}
