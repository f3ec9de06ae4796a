import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { CallAgentJson } from '../../calls/speakers/schema.ts'
import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { Language } from '../frame/i18n.ts'

type Segment = NonNullable<RecordingJson['transcript']>['segments'][number]
type CallWithSpeakers = Pick<RecordingJson, 'transcript' | 'audio'>

/** The names of the speakers 0 and 1. */
export type SpeakerNames = [string, string]

/** Returns the speaker of a segment by its voice if that is known, else by its channel. */
export const getSpeaker = ({ speaker, channel }: Pick<Segment, 'speaker' | 'channel'>): 0 | 1 =>
  speaker ?? (channel === 1 ? 1 : 0)

/** Returns true if voices identify the speakers of a call on one channel. */
export const hasVoices = ({ audio }: Pick<RecordingJson, 'audio'>): boolean => audio?.speakers.method === 'voices'

/** Returns true if voices identify the speakers, or if the transcript has text of a second channel. */
export const areSpeakersKnown = (recording: CallWithSpeakers): boolean =>
  hasVoices(recording) || (recording.transcript?.segments ?? []).some(({ channel }) => channel > 0)

/** Returns false if the speakers are voices and it is unknown which of them is the agent. */
export const isAgentKnown = ({ audio }: Pick<RecordingJson, 'audio'>): boolean =>
  audio?.speakers.method !== 'voices' || (audio.speakers.agentConfidence ?? 0) >= MIN_SPEAKER_CONFIDENCE

/** Returns true if the confidence of a segment's speaker is below MIN_SPEAKER_CONFIDENCE. */
export const isSpeakerUncertain = ({ speaker, speakerConfidence }: Segment): boolean =>
  typeof speaker === 'number' && (speakerConfidence ?? 0) < MIN_SPEAKER_CONFIDENCE

/** Names the two speakers: agent and client, or by number while the agent is unknown. */
export function formatSpeakerNames(
  recording: Pick<RecordingJson, 'audio'>,
  { agentChannel }: CallAgentJson,
  { words }: Language,
): SpeakerNames {
  const { sides, unnamed } = words.recording
  if (!isAgentKnown(recording)) return [unnamed('1'), unnamed('2')]
  return agentChannel === 0 ? [sides.agent, sides.client] : [sides.client, sides.agent]
}
