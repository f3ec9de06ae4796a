import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { CallAgentJson, SeparationJson } from '../../calls/speakers/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { formatSpeakerNames, isAgentKnown } from './speakers.ts'

/** Lists the buttons that set the agent: one that swaps known sides, or one for each voice. */
export function listAgentChoices(recording: RecordingJson, { agentChannel }: CallAgentJson, language: Language) {
  const { swap, isAgent } = language.words.recording
  if (isAgentKnown(recording)) return [{ agentChannel: 1 - agentChannel, text: swap }]
  const names = formatSpeakerNames(recording, { agentChannel, setFor: 'source' }, language)
  return names.map((name, speaker) => ({ agentChannel: speaker, text: isAgent(name) }))
}

/** Returns true while the separation of a call's speakers is queued or running. */
export const isSeparating = (separation: SeparationJson | undefined): boolean =>
  separation?.status === 'queued' || separation?.status === 'running'

/** Describes the last separation. Allows another unless the transcript is empty or the last one is active or found no two voices. */
export function buildSeparationView(
  { recording, separation }: { recording: RecordingJson; separation: SeparationJson | undefined },
  canManage: boolean,
  { words }: Language,
) {
  if (!separation) return { maySeparate: false, separation: null }
  const { separations } = words.recording
  const { status, reason } = separation
  const hasText = (recording.transcript?.segments ?? []).length > 0
  const text = status === 'none' || status === 'cancelled' ? null : separations[status]
  return {
    maySeparate: canManage && hasText && status !== 'done' && !isSeparating(separation),
    separation: text && {
      text: [text, status === 'failed' && reason].filter(Boolean).join(' '),
      isFailed: status === 'failed',
    },
  }
}
