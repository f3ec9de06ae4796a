import type { RecordingWaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import type { CallChapter } from './chapters.ts'
import type { TranscriptSearchMatch } from './lines.ts'
import { getSpeaker, type SpeakerNames } from './speakers.ts'
import { formatChapterTitle } from './text-view.ts'

type Segment = NonNullable<RecordingJson['transcript']>['segments'][number]

/** BAR_PITCH is a bar of 2 and a gap of 1, in units of the SVG. */
const MAX_BARS = 320
const BAR_PITCH = 3
const WAVEFORM_HEIGHT = 64
const WAVEFORM_MIDDLE = WAVEFORM_HEIGHT / 2

/** Draws the waveform as one SVG path per channel. Without peaks, draws a line on which the player shows the position. */
export function drawWaveform(waveform: RecordingWaveformJson | undefined) {
  const channels = waveform?.peaks.filter(({ length }) => length > 0) ?? []
  if (channels.length === 0) {
    const width = MAX_BARS * BAR_PITCH
    return { width, height: WAVEFORM_HEIGHT, paths: [`M0 ${WAVEFORM_MIDDLE - 1}h${width}v2h-${width}z`] }
  }
  const bars = Math.min(MAX_BARS, Math.max(...channels.map(({ length }) => length)))
  const paths = channels.map((peaks, channel) =>
    Array.from({ length: bars }, (_, bar) => {
      const height = scaleToHeight(findMaxPeak(peaks, bar, bars))
      if (channels.length === 1) return `M${bar * BAR_PITCH} ${WAVEFORM_MIDDLE - height}h2v${2 * height}h-2z`
      const [from, to] = channel === 0 ? [WAVEFORM_MIDDLE - 1, -height] : [WAVEFORM_MIDDLE + 1, height]
      return `M${bar * BAR_PITCH} ${from}h2v${to}h-2z`
    }).join(''),
  )
  return { width: bars * BAR_PITCH, height: WAVEFORM_HEIGHT, paths }
}

function findMaxPeak(peaks: number[], bar: number, bars: number): number {
  const [from, to] = [(bar * peaks.length) / bars, ((bar + 1) * peaks.length) / bars]
  return Math.max(...peaks.slice(Math.floor(from), Math.max(Math.floor(from) + 1, Math.floor(to))))
}

/** Scales a peak to the height of a bar. The exponent 0.7 makes quiet speech visible. @param peak 0 to 100 */
const scaleToHeight = (peak: number): number => Math.max(1, Math.round((peak / 100) ** 0.7 * (WAVEFORM_MIDDLE - 2)))

/** Draws a tick on the waveform at each search match, as an SVG path. @param width width of the waveform */
export function drawSearchMatchTicks(
  matches: TranscriptSearchMatch[],
  durationSeconds: number | null,
  width: number,
): string {
  if (!durationSeconds) return ''
  const columns = new Set(matches.map(({ at }) => Math.min(width, Math.round((width * at) / durationSeconds))))
  return [...columns].map((x) => `M${x} 0v${WAVEFORM_HEIGHT}`).join('')
}

/** Approximate widths on a desktop in CSS pixels, to estimate whether the title of a chapter fits. */
const WAVEFORM_PIXELS = 650
const CHARACTER_PIXELS = 7

/** Positions chapters below the waveform, in percent of its width. The title is null if it does not fit. */
export function drawChapterMarks(chapters: CallChapter[], durationSeconds: number | null, language: Language) {
  if (!durationSeconds) return []
  const toPercent = (seconds: number) => Math.round((10_000 * seconds) / durationSeconds) / 100
  return chapters.map((chapter) => {
    const title = formatChapterTitle(chapter, language)
    const width = toPercent(chapter.end - chapter.start)
    const doesFit = (title.length + 2) * CHARACTER_PIXELS <= (width / 100) * WAVEFORM_PIXELS
    return { x: toPercent(chapter.start), title: doesFit ? title : null }
  })
}

/**
 * Formats the share of speech per speaker and of silence, in percent of the call. @param names names of the speakers; null gives one
 * share of all speech
 */
export function formatSpeechShares(
  segments: Segment[],
  durationSeconds: number | null,
  names: SpeakerNames | null,
  { words, format }: Language,
) {
  const total = durationSeconds ?? 0
  if (total <= 0) return []
  const share = (chosen: Segment[]) => Math.min(100, Math.round((100 * countSpokenSeconds(chosen)) / total))
  const formatPercent = (percent: number) => words.common.percent(format.number(percent))
  const voices = names
    ? names.map((name, speaker) => ({
        kind: `c${speaker}`,
        text: `${name} ${formatPercent(share(segments.filter((one) => getSpeaker(one) === speaker)))}`,
      }))
    : [{ kind: 'c0', text: `${words.recording.speech} ${formatPercent(share(segments))}` }]
  return [...voices, { kind: 'silence', text: `${words.recording.silence} ${formatPercent(100 - share(segments))}` }]
}

/** Describes problems of the audio, such as a silent channel; empty without problems. @param sides null names channels by number */
export function formatAudioProblems(
  audio: Omit<NonNullable<RecordingJson['audio']>, 'speakers'> | null,
  sides: SpeakerNames | null,
  { words }: Language,
): string {
  if (!audio) return ''
  const t = words.recording.audio
  const { silent, speechSeconds, identical, clipped } = audio
  if (silent.every(Boolean)) return t.silent
  const name = (channel: number) => sides?.[channel] ?? t.channel(channel + 1)
  const hasNoSpeech = speechSeconds.every((seconds) => seconds === 0)
  const channels = silent.map((isSilent, channel) => {
    if (isSilent) return t.silentChannel(name(channel))
    const hasNoSpeechInChannel = silent.length > 1 && !identical && !hasNoSpeech && speechSeconds[channel] === 0
    return hasNoSpeechInChannel ? t.unheard(name(channel)) : ''
  })
  const notes = [hasNoSpeech && t.noSpeech, ...channels, identical && t.identical, clipped && t.clipped]
  return notes.filter(Boolean).join('; ')
}

function countSpokenSeconds(segments: Segment[]): number {
  let seconds = 0
  let coveredUntil = 0
  for (const { start, end } of segments.toSorted((a, b) => a.start - b.start)) {
    seconds += Math.max(0, end - Math.max(start, coveredUntil))
    coveredUntil = Math.max(coveredUntil, end)
  }
  return seconds
}
