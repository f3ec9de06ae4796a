import { assignSpeakers } from '../platform/lib/speaker-segments.ts'
import { decodeAudio, extractChannel, countOutputChannels } from './audio.ts'
import type { TranscriptSegment, Speakers, WordTimes } from './contract.ts'
import type { AudioProbeResult } from './probe.ts'
import { separateSpeakers, type TimeSpan } from './speakers/separate.ts'

/** Telephone calls have no higher rate. */
export const VOICE_SAMPLE_RATE = 8000
/** Speech between pauses: times of words leave short gaps where nobody pauses. */
const MIN_PAUSE_SECONDS = 0.2

interface AudioFile {
  file: string
  header: AudioProbeResult
  /** The channels that differ: one or two. */
  sources: number[]
}

interface TimedText {
  segments: TranscriptSegment[]
  words: WordTimes[]
}

type SpokenText = TimedText & { speakers: Speakers }

interface SeparationOptions {
  /** Whether the voices on one channel are separated. */
  separate: boolean
  /** Called with the decoded samples of all channels. */
  onSamples: (samples: Int16Array) => void
  signal: AbortSignal
}

/** Finds the speaker of each segment, by the channel or by the voice. Cuts segments where the speaker changes. */
export async function identifySpeakers(
  audio: AudioFile,
  text: TimedText,
  { separate, ...options }: SeparationOptions,
): Promise<SpokenText> {
  if (audio.sources.length === 2) return assignChannels(text)
  return separate && text.segments.length > 0 ? separateVoices(audio, text, options) : leaveUnknown(text)
}

/** Each of two channels has one speaker. */
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
  // Speakers of an earlier separation do not count.
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
