/** The shortest span that we return, in seconds. */
const MIN_SPAN_SECONDS = 0.01

/** Rounds to hundredths of a second. */
export const roundSeconds = (seconds: number): number => Math.round(seconds * 100) / 100

/**
 * Rounds a span of audio to hundredths of a second and keeps it within the audio: 0 ≤ start < end ≤ `duration`.
 * A word with a rounded length of 0, or at the very end, gets a hundredth. Only shorter audio gets an empty span.
 */
export function clampSpan(start: number, end: number, duration: number): { start: number; end: number } {
  const latest = Math.max(0, roundSeconds(duration - MIN_SPAN_SECONDS))
  const from = Math.min(Math.max(0, roundSeconds(start)), latest)
  return { start: from, end: Math.min(Math.max(roundSeconds(end), roundSeconds(from + MIN_SPAN_SECONDS)), duration) }
}
