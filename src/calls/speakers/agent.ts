import type { CallsCore } from '../core.ts'
import type { CallSpeakers } from '../recordings/entity.ts'
import type { TranscriptSegment } from '../transcripts/entity.ts'

/** Adds which of two voices is the agent, if a listener finds it by their words. Other methods stay unchanged. */
export async function detectAgentSpeaker(
  core: CallsCore,
  recordingId: string,
  speakers: Pick<CallSpeakers, 'method' | 'confidence'>,
  segments: TranscriptSegment[],
): Promise<CallSpeakers> {
  if (speakers.method !== 'voices') return speakers
  for (const listener of core.callListeners) {
    const found = await listener.findAgent?.(core.pool, recordingId, segments)
    if (found) return { ...speakers, ...found }
  }
  return { ...speakers, agent: null, agentConfidence: null }
}
