import { roundSeconds } from '../platform/lib/time-span.ts'
import { measureAudio, countOutputChannels } from './audio.ts'
import { ChannelLoudnessStats, sumSpeechSeconds } from './channel-stats.ts'
import type { RecognitionProgress, SeparationResult, SeparationTask } from './contract.ts'
import { probeAudioFile } from './probe.ts'
import { identifySpeakers, VOICE_SAMPLE_RATE } from './voices.ts'

/**
 * Separates the speakers of a transcribed file.
 * @throws RecognitionError if the file cannot be decoded, or the reason of an aborted `signal`
 */
export async function separateSpeakersOfFile(
  { file, segments, words }: SeparationTask,
  onProgress: (progress: RecognitionProgress) => void,
  signal: AbortSignal,
): Promise<SeparationResult> {
  const header = await probeAudioFile(file, signal)
  const { channels: sources, durationSeconds } = await measureAudio(file, header, signal)
  const width = countOutputChannels(header.channels)
  const stats = new ChannelLoudnessStats(width)
  const totalSeconds = roundSeconds(durationSeconds)
  let frames = 0
  const onSamples = (samples: Int16Array) => {
    stats.add(samples)
    frames += samples.length / width
    onProgress({ processedSeconds: roundSeconds(frames / VOICE_SAMPLE_RATE), totalSeconds })
  }
  const text = await identifySpeakers(
    { file, header, sources },
    { segments, words },
    { separate: true, onSamples, signal },
  )
  // Voices are compared, and the audio is measured, only if one channel is recognized and has text.
  const audio = frames > 0 ? stats.summarize(sumSpeechSeconds(segments, 1), sources) : undefined
  return { ...text, ...(audio && { audio }) }
}
