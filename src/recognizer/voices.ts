import { assignSpeakers } from '../platform/lib/speaker-segments.ts'
import { decodeAudio, extractChannel, countOutputChannels } from './audio.ts'
import type { TranscriptSegment, Speakers, WordTimes } from './contract.ts'
import type { AudioProbeResult } from './probe.ts'
import { separateSpeakers, type TimeSpan } from './speakers/separate.ts'

/** Sample rate, in Hz, at which voices are compared. Most telephone calls have no higher one. */
export const VOICE_SAMPLE_RATE = 8000
/** A shorter gap between words is no pause, because word times leave short gaps within speech. */
const MIN_PAUSE_SECONDS = 0.2

interface AudioFile {
  file: string
  header: AudioProbeResult
  /** Numbers of the recognized channels: one, or two that differ. */
  sources: number[]
}

interface TimedText {
  segments: TranscriptSegment[]
  words: WordTimes[]
}

type SpokenText = TimedText & { speakers: Speakers }

interface SeparationOptions {
  /** True to separate the voices on one channel. */
  separate: boolean
  /** Called with each decoded block: interleaved samples of all channels at VOICE_SAMPLE_RATE. */
  onSamples: (samples: Int16Array) => void
  signal: AbortSignal
}

/**
 * Finds the speaker of each segment, by the channel or by the voice. Cuts segments where the speaker changes. Speakers are null if
 * they are not separated.
 */
export async function identifySpeakers(
  audio: AudioFile,
  text: TimedText,
  { separate, ...options }: SeparationOptions,
): Promise<SpokenText> {
  if (audio.sources.length === 2) return assignChannels(text)
  return separate && text.segments.length > 0 ? separateVoices(audio, text, options) : leaveUnknown(text)
}

/** Assigns speaker 0 to channel 0 and speaker 1 to channel 1. */
const assignChannels = ({ segments, words }: TimedText): SpokenText => ({
  segments: segments.map((one) => ({ ...one, speaker: one.channel === 0 ? 0 : 1, speakerConfidence: 1 })),
  words,
  speakers: { method: 'channels', confidence: 1 },
})

const leaveUnknown = ({ segments, words }: TimedText): SpokenText => ({
  segments: segments.map((segment) => ({ ...segment, speaker: null, speakerConfidence: null })),
  words,
  speakers: { method: 'none', confidence: null },
})

async function separateVoices(
  { file, header, sources }: AudioFile,
  { segments, words }: TimedText,
  { onSamples, signal }: Omit<SeparationOptions, 'separate'>,
): Promise<SpokenText> {
  const width = countOutputChannels(header.channels)
  async function* decodeChannel(): AsyncGenerator<Float32Array> {
    for await (const samples of decodeAudio(file, header, VOICE_SAMPLE_RATE, signal)) {
      onSamples(samples)
      yield toFloats(width === 1 ? samples : extractChannel(samples, sources[0]!))
    }
  }
  const spans = words.flat().map(([start, end]) => ({ start, end }))
  const audio = { samples: decodeChannel(), sampleRate: VOICE_SAMPLE_RATE } as const
  const { method, confidence, phrases } = await separateSpeakers(audio, joinSpans(spans), spans, signal)
  if (method === 'none' || confidence === null) return leaveUnknown({ segments, words })
  // Remove the speakers of an earlier separation, which assignSpeakers() would keep.
  const unassigned = leaveUnknown({ segments, words }).segments
  return {
    ...assignSpeakers(unassigned, words, phrases),
    speakers: { method, confidence: Math.round(confidence * 100) / 100 },
  }
}

function toFloats(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let i = 0; i < floats.length; i++) floats[i] = samples[i]! / 32_768
  return floats
}

function joinSpans(spans: TimeSpan[]): TimeSpan[] {
  const joined: TimeSpan[] = []
  for (const { start, end } of spans) {
    const last = joined.at(-1)
    if (last && start - last.end < MIN_PAUSE_SECONDS) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
