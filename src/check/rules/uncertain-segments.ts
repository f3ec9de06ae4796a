import type { Dialogue, DialogueSegment } from './types.ts'

const uncertainCache = new WeakMap<Dialogue, Dialogue[]>()
const doubtfulCache = new WeakMap<Dialogue, Dialogue[]>()

/**
 * Returns two copies of a call: in one, the first voice says all uncertain segments, in the other the second voice.
 * Returns an empty list if all segments are certain.
 */
export const resolveUncertainSegments = (dialogue: Dialogue): Dialogue[] =>
  getOrCreate(uncertainCache, dialogue, () => assignToEachVoice(dialogue, ({ isUncertain }) => isUncertain))

/**
 * Returns copies of a call for its critical rules, which need more certainty: each voice says all doubtful segments, and
 * each voice is the agent if the agent is doubtful. Returns an empty list if nothing is doubtful.
 */
export const resolveDoubtfulSpeakers = (dialogue: Dialogue): Dialogue[] =>
  getOrCreate(doubtfulCache, dialogue, () => {
    const copies = assignToEachVoice(dialogue, ({ isUncertain, isDoubtful }) => isUncertain || isDoubtful)
    if (!dialogue.isAgentDoubtful || dialogue.agentChannel === null) return copies
    const agentChannel = dialogue.agentChannel === 0 ? 1 : 0
    return [...copies, ...[dialogue, ...copies].map((copy) => ({ ...copy, agentChannel }) as const)]
  })

/** All rule sets judge the same copies, so that their words are split only once. */
function getOrCreate(cache: WeakMap<Dialogue, Dialogue[]>, dialogue: Dialogue, create: () => Dialogue[]): Dialogue[] {
  const copies = cache.get(dialogue) ?? create()
  cache.set(dialogue, copies)
  return copies
}

function assignToEachVoice(dialogue: Dialogue, isOpen: (segment: DialogueSegment) => boolean | undefined): Dialogue[] {
  if (!dialogue.segments.some(isOpen)) return []
  return [0, 1].map((channel) => ({
    ...dialogue,
    segments: dialogue.segments.map((segment) => (isOpen(segment) ? { ...segment, channel } : segment)),
  }))
}
