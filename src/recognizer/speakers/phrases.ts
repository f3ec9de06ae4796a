import type { TimeSpan } from './time-span.ts'

/** A pause of this length ends a group. Pauses between turns are rarely shorter. */
const MIN_PAUSE_SECONDS = 0.2
/** A longer group is split, unless it has only one word. */
const MAX_PHRASE_SECONDS = 2.5

/** Consecutive words. We assume that one speaker says all of them. */
export interface WordGroup extends TimeSpan {
  /** Index of the first word, and of the word after the last. */
  first: number
  last: number
  /** True if a pause separates the group from the previous one. */
  afterPause: boolean
}

/**
 * Splits words into groups at pauses. Splits long groups again, at a long pause near the middle.
 * @param words in order of their start
 * @param speech sections with speech in order, without overlap
 */
export function groupWords(words: TimeSpan[], speech: TimeSpan[]): WordGroup[] {
  const pauses = measurePauses(words, speech)
  const groups: WordGroup[] = []
  let first = 0
  for (let n = 1; n <= words.length; n++) {
    if (n < words.length && pauses[n]! < MIN_PAUSE_SECONDS) continue
    splitGroup(words, pauses, first, n, true, groups)
    first = n
  }
  return groups
}

function splitGroup(
  words: TimeSpan[],
  pauses: number[],
  first: number,
  last: number,
  afterPause: boolean,
  groups: WordGroup[],
): void {
  // prettier-ignore
  const [start, end] = [words[first]!.start, Math.max(words[first]!.end, words[last - 1]!.end)]
  if (end - start <= MAX_PHRASE_SECONDS || last - first === 1) {
    groups.push({ start, end, first, last, afterPause })
    return
  }
  // Prefer the middle: each second from the nearer end counts like 0.1 s of pause.
  const rank = (n: number) => pauses[n]! + Math.min(words[n]!.start - start, end - words[n]!.start) / 10
  let best = first + 1
  for (let n = first + 2; n < last; n++) if (rank(n) > rank(best)) best = n
  splitGroup(words, pauses, first, best, afterPause, groups)
  splitGroup(words, pauses, best, last, false, groups)
}

/** Measures the pause before each word in seconds, by word times and by speech sections. Returns the longer one. */
function measurePauses(words: TimeSpan[], speech: TimeSpan[]): number[] {
  let section = 0
  return words.map((word, n) => {
    const before = words[n - 1]
    if (!before) return Infinity
    const [from, to] = [(before.start + before.end) / 2, (word.start + word.end) / 2]
    while (section < speech.length && speech[section]!.end <= from) section++
    let silence = to - from
    for (let k = section; k < speech.length && speech[k]!.start < to; k++)
      silence -= Math.max(0, Math.min(to, speech[k]!.end) - Math.max(from, speech[k]!.start))
    // If no section overlaps the time between the words, only the word times measure the pause.
    if (silence >= to - from) silence = 0
    return Math.max(word.start - before.end, silence)
  })
}
