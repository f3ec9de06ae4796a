/** Measures how long each function that parses outside text blocks the event loop, with its worst input. */
import { readFileSync } from 'node:fs'
import { loadLemmas } from '../src/check/rules/lemmas.ts'
import { usedMemory } from '../src/test/memory.ts'
import { BOUNDED_PATTERNS, slowInputs, sourcePatterns } from '../src/test/source-patterns.ts'
import { WORST_INPUTS, type WorstInput } from '../src/test/worst-inputs.ts'
import { WORST_REPLIES } from '../src/test/worst-replies.ts'
import type { Measured } from './hostile.ts'

const ROUNDS = 3
/** Collects garbage only above this size: a collection takes longer than most rounds. */
const GARBAGE_MB = 8
/** A pattern of quadratic time takes seconds for an input of this length. */
const PATTERN_LENGTH = 100_000

const processorMs = (): number => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6
const rss = (): number => process.memoryUsage.rss() / 2 ** 20

/** Measures the longest turn of the event loop during some work, in processor time of the main thread. */
async function longestTurn(work: () => unknown): Promise<number> {
  let [last, longest, isRunning] = [processorMs(), 0, true]
  const look = (): void => {
    const now = processorMs()
    longest = Math.max(longest, now - last)
    last = now
    if (isRunning) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isRunning = false
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

/** Every function of the two tables of the tests. */
export async function* measureInputs(): AsyncGenerator<Measured> {
  await loadLemmas()
  for (const entry of [...WORST_INPUTS, ...WORST_REPLIES]) yield await measureInput(entry)
}

async function measureInput([what, read, inputs]: WorstInput): Promise<Measured> {
  const given = inputs()
  const measured: Measured = { what, delayMs: 0, growthMb: 0 }
  usedMemory() // collects the garbage of earlier functions
  let base = rss()
  for (const input of given) {
    if (rss() - base > GARBAGE_MB) {
      usedMemory()
      base = rss()
    }
    let shortest = Infinity
    for (let round = 0; round < ROUNDS; round++) shortest = Math.min(shortest, await longestTurn(() => read(input)))
    measured.delayMs = Math.max(measured.delayMs, shortest)
    measured.growthMb = Math.max(measured.growthMb, rss() - base)
  }
  return measured
}

/** Measures every regular expression of the sources, with inputs that make non-linear ones slow. */
export function measurePatterns(): Measured {
  let delayMs = 0
  const patterns = sourcePatterns().filter(({ file, pattern }) => !BOUNDED_PATTERNS.has(`${file} ${pattern}`))
  for (const { pattern } of patterns)
    for (const input of slowInputs(pattern, PATTERN_LENGTH)) {
      const before = processorMs()
      if (pattern.global) input.replace(pattern, '')
      else pattern.exec(input)
      delayMs = Math.max(delayMs, processorMs() - before)
    }
  return { what: `${patterns.length} regular expressions, ${PATTERN_LENGTH} characters each`, delayMs, growthMb: 0 }
}
