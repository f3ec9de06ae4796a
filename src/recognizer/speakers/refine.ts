import { measureConsistency } from './consistency.ts'
import { Mixture } from './mixture.ts'
import type { WordGroup } from './phrases.ts'
import type { SpeechFrames } from './speech-frames.ts'

const COMPONENTS = 8
const ROUNDS = 8
/** A speaker needs two seconds for a model. */
const MIN_FRAMES = 100

/** A division of the word groups between two speakers. */
export interface Division {
  /** Speaker of each group. */
  labels: Int8Array
  /** Log-likelihood ratio of each frame; positive is speaker 1. */
  ratios: Float32Array
  consistency: number
}

/** Improves labels: a model of each speaker, new labels by the models, and again. Undefined if one speaker vanishes. */
export function refineDivision(
  start: Int8Array,
  frames: SpeechFrames,
  groups: WordGroup[],
  random: () => number,
): Division | undefined {
  let labels = start
  let models: Mixture[] | undefined
  const ratios = new Float32Array(frames.numbers.length)
  for (let round = 0; round < ROUNDS; round++) {
    const own = [0, 1].map((speaker) => collectFrames(labels, frames, speaker))
    if (own.some(({ length }) => length < MIN_FRAMES)) return undefined
    models ??= own.map((some) => new Mixture(COMPONENTS, frames.cepstra, some, random))
    for (const [speaker, model] of models.entries()) model.train(own[speaker]!, round === 0 ? 6 : 2)
    for (let n = 0; n < ratios.length; n++) ratios[n] = models[1]!.score(n) - models[0]!.score(n)
    const next = labelGroups(ratios, frames)
    const isStable = next.every((label, n) => label === labels[n])
    labels = next
    if (isStable && round > 2) break
  }
  return { labels, ratios, consistency: measureConsistency(ratios, groups, frames) }
}

function collectFrames(labels: Int8Array, { offsets }: SpeechFrames, speaker: number): Int32Array {
  const own: number[] = []
  for (const [group, label] of labels.entries())
    if (label === speaker) for (let at = offsets[group]!; at < offsets[group + 1]!; at++) own.push(at)
  return Int32Array.from(own)
}

function labelGroups(ratios: Float32Array, { offsets }: SpeechFrames): Int8Array {
  return Int8Array.from({ length: offsets.length - 1 }, (_, group) => Number(sumRatios(ratios, offsets, group) > 0))
}

export function sumRatios(ratios: Float32Array, offsets: Int32Array, group: number): number {
  let sum = 0
  for (let at = offsets[group]!; at < offsets[group + 1]!; at++) sum += ratios[at]!
  return sum
}
