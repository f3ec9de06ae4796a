import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { Dialogue, DialogueSegment } from '../rules/types.ts'

/**
 * A critical rule needs this confidence of a segment's voice and of the agent, because missing it makes the score 0. Both wrong
 * critical verdicts of the 257 dialogues of the benchmark had 0.92.
 */
export const MIN_CRITICAL_CONFIDENCE = 0.95

/** Converts the segments of a call that is separated by voice: the channel is the voice, and uncertain voices are flagged. */
export const toVoiceSegments = (segments: TranscriptSegment[]): DialogueSegment[] =>
  segments.map(({ start, end, text, speaker, speakerConfidence }) => {
    const confidence = typeof speaker === 'number' ? (speakerConfidence ?? 0) : 0
    return {
      start,
      end,
      text,
      channel: speaker ?? 0,
      ...(confidence < MIN_SPEAKER_CONFIDENCE && { isUncertain: true }),
      ...(confidence < MIN_CRITICAL_CONFIDENCE && { isDoubtful: true }),
    }
  })

/** Builds the dialogue of a call with two voices, without the segments whose voice is uncertain. Its `agentChannel` is a placeholder. */
export const toCertainDialogue = (segments: TranscriptSegment[], direction: Dialogue['direction']): Dialogue => ({
  segments: toVoiceSegments(segments).filter(({ isUncertain }) => !isUncertain),
  channels: 2,
  agentChannel: 0,
  direction,
  durationSeconds: segments.at(-1)?.end ?? 0,
})
