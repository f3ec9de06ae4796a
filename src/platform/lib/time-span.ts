/** Shortest span that the API returns. */
const MIN_SPAN_SECONDS = 0.01

/** Rounds seconds to hundredths. */
export const roundSeconds = (seconds: number): number => Math.round(seconds * 100) / 100

/**
 * Rounds a span of audio to hundredths of a second and clamps it to 0 ≤ start < end ≤ `duration`.
 * A word of length 0, or at the very end, gets at most a hundredth. Only audio of length 0 gets an empty span.
 */
export function clampAudioSpan(start: number, end: number, duration: number): { start: number; end: number } {
  const latest = Math.max(0, roundSeconds(duration - MIN_SPAN_SECONDS))
  const from = Math.min(Math.max(0, roundSeconds(start)), latest)
  return { start: from, end: Math.min(Math.max(roundSeconds(end), roundSeconds(from + MIN_SPAN_SECONDS)), duration) }
}
