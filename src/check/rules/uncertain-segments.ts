import type { Dialogue } from './types.ts'

const resolvedCache = new WeakMap<Dialogue, Dialogue[]>()

/**
 * The call as if the first, and as if the second voice said every segment whose voice is uncertain. A verdict counts only if it is
 * the same in both. Empty if all segments are certain.
 */
export function resolveUncertainSegments(dialogue: Dialogue): Dialogue[] {
  let resolved = resolvedCache.get(dialogue)
  if (!resolved) {
    resolved = dialogue.segments.some(({ isUncertain }) => isUncertain)
      ? [0, 1].map((channel) => assignUncertainSegments(dialogue, channel))
      : []
    // Sets that judge the same call share its words.
    resolvedCache.set(dialogue, resolved)
  }
  return resolved
}

const assignUncertainSegments = (dialogue: Dialogue, channel: number): Dialogue => ({
  ...dialogue,
  segments: dialogue.segments.map((segment) => (segment.isUncertain ? { ...segment, channel } : segment)),
})
