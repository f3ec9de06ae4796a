import type { PageContext } from './context.ts'

/** Playback starts 1.5 s early, so that the beginning of the phrase is audible. public/transcript.js has the same number. */
export const PLAYBACK_LEAD_SECONDS = 1.5

/** Formats the address of a moment of a call, in seconds. The page marks its line and plays from 1.5 s before. */
export const formatMomentHref = (recordingId: string, seconds: number): string =>
  `/recordings/${recordingId}?t=${Math.round(seconds * 10) / 10}`

/**
 * Builds the links that play a call from a moment. Without audio or the permission for it, only the page is
 * linked. @param hearFrom seconds
 */
export function buildPlaybackLinks(
  recordingId: string,
  { hearFrom, hasAudio }: { hearFrom: number | null; hasAudio: boolean },
  { person, language: { format } }: PageContext,
) {
  const from = Math.max(0, Math.floor((hearFrom ?? 0) - PLAYBACK_LEAD_SECONDS))
  const href = formatMomentHref(recordingId, hearFrom ?? 0)
  const mayListen = hasAudio && person.rights.audio === true
  return {
    from,
    href: mayListen ? `${href}#play` : href,
    audio: mayListen ? `/recordings/${recordingId}/playback` : null,
    isSilent: !hasAudio && person.rights.audio === true,
    at: format.length(hearFrom ?? 0),
  }
}
