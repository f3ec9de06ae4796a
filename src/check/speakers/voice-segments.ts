import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { Dialogue, DialogueSegment } from '../rules/types.ts'

/** Converts the segments of a call that is separated by voice: the channel is the voice, and uncertain voices are flagged. */
export const toVoiceSegments = (segments: TranscriptSegment[]): DialogueSegment[] =>
  segments.map(({ start, end, text, speaker, speakerConfidence }) => {
    const isCertain = typeof speaker === 'number' && (speakerConfidence ?? 0) >= MIN_SPEAKER_CONFIDENCE
    return { start, end, text, channel: speaker ?? 0, ...(!isCertain && { isUncertain: true }) }
  })

/** Builds the dialogue of a call with two voices, without the segments whose voice is uncertain. Its `agentChannel` is a placeholder. */
export const toCertainDialogue = (segments: TranscriptSegment[], direction: Dialogue['direction']): Dialogue => ({
  segments: toVoiceSegments(segments).filter(({ isUncertain }) => !isUncertain),
  channels: 2,
  agentChannel: 0,
  direction,
  durationSeconds: segments.at(-1)?.end ?? 0,
})
