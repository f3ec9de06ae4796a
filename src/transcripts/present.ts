import type { RecordingJson } from '../recordings/schema.ts'
import type { Segment } from './entity.ts'
import type { Format } from './schema.ts'

type TranscriptJson = NonNullable<RecordingJson['transcript']>

/** Media type and writer of each download format that is text. */
export const TEXT_FORMATS: Record<
  Exclude<Format, 'json'>,
  { type: string; write: (transcript: TranscriptJson) => string }
> = {
  txt: { type: 'text/plain; charset=utf-8', write: ({ text }) => (text ? `${text}\n` : '') },
  srt: { type: 'application/x-subrip; charset=utf-8', write: writeSrt },
  vtt: { type: 'text/vtt; charset=utf-8', write: writeVtt },
}

/** SubRip: numbered cues, a comma before the milliseconds. */
function writeSrt({ segments }: TranscriptJson): string {
  return segments.map((segment, index) => `${index + 1}\n${times(segment, ',')}\n${cueText(segment)}\n`).join('\n')
}

/** WebVTT (W3C): in a call of two channels each cue names its voice. */
function writeVtt({ segments }: TranscriptJson): string {
  const twoVoices = segments.some(({ channel }) => channel > 0)
  const cues = segments.map((segment) => {
    const escaped = cueText(segment).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    return `${times(segment, '.')}\n${twoVoices ? `<v Channel ${segment.channel}>` : ''}${escaped}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

/** A cue ends at an empty line, so a text must not hold one. */
const cueText = ({ text }: Segment): string => text.replace(/\s*[\r\n]\s*/g, ' ').trim()

const times = ({ start, end }: Segment, mark: string): string => `${clock(start, mark)} --> ${clock(end, mark)}`

/** Seconds as HH:MM:SS and milliseconds after `mark`. */
function clock(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1000)
  const part = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${part(h, 2)}:${part(m, 2)}:${part(s, 2)}${mark}${part(ms % 1000, 3)}`
}
