import type { AudioProperties, CallSpeakers } from '../recordings/entity.ts'
import type { TranscriptSegment } from './entity.ts'

type SpeakerConfidence = Pick<CallSpeakers, 'method' | 'confidence'> & { agentConfidence: number | null }

interface CallAudio {
  audio: AudioProperties | null
  speakers: CallSpeakers | null
  agentChannel: 0 | 1 | null
}

/** Returns the segments with their speakers. If a segment has none and the call has two channels, its channel is the speaker. */
export function presentSegments<S extends TranscriptSegment>(segments: S[], { audio, ...call }: CallAudio) {
  const hasChannels = audio !== null && presentCallSpeakers(audio, call).method === 'channels'
  const isStereo = hasChannels || segments.some(({ channel }) => channel === 1)
  return segments.map((segment) => {
    const { speaker, speakerConfidence } = segment
    if (speaker === 0 || speaker === 1) return { ...segment, speaker, speakerConfidence: speakerConfidence ?? null }
    if (!isStereo) return { ...segment, speaker: null, speakerConfidence: null }
    return { ...segment, speaker: segment.channel === 1 ? (1 as const) : (0 as const), speakerConfidence: 1 }
  })
}

/** Returns how the speakers of a call are separated. In calls of earlier releases, two different channels are two speakers. */
export function presentCallSpeakers(
  { channels, identical }: AudioProperties,
  { speakers, agentChannel }: Omit<CallAudio, 'audio'>,
): SpeakerConfidence {
  const method = speakers?.method ?? (channels === 2 && !identical ? 'channels' : 'none')
  if (method === 'none') return { method, confidence: null, agentConfidence: null }
  if (method === 'channels') return { method, confidence: 1, agentConfidence: 1 }
  const agentConfidence = agentChannel === null ? (speakers?.agentConfidence ?? null) : 1
  return { method, confidence: speakers?.confidence ?? null, agentConfidence }
}
