import type { Dialogue } from './types.ts'

const resolvedCache = new WeakMap<Dialogue, Dialogue[]>()

/**
 * Returns two copies of a call: in one, the first voice says all uncertain segments, in the other the second voice.
 * Returns an empty list if all segments are certain.
 */
export function resolveUncertainSegments(dialogue: Dialogue): Dialogue[] {
  let resolved = resolvedCache.get(dialogue)
  if (!resolved) {
    resolved = dialogue.segments.some(({ isUncertain }) => isUncertain)
      ? [0, 1].map((channel) => assignUncertainSegments(dialogue, channel))
      : []
    // All rule sets judge the same copies, so that their words are split only once.
    resolvedCache.set(dialogue, resolved)
  }
  return resolved
}

const assignUncertainSegments = (dialogue: Dialogue, channel: number): Dialogue => ({
  ...dialogue,
  segments: dialogue.segments.map((segment) => (segment.isUncertain ? { ...segment, channel } : segment)),
})
