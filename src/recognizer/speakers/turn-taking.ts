import type { WordGroup } from './phrases.ts'

/** Probability that the speaker changes between two groups: at a pause, and within speech. */
const CHANGE_PROBABILITY = { atPause: 0.33, inSpeech: 0.05 }
/** Scores are limited to this value, so that a group with a very high score can still follow its neighbours. */
const MAX_SCORE = 30

/**
 * Returns the probability that speaker 1 says each group, by a hidden Markov model of two speakers who take turns
 * (forward-backward algorithm, Rabiner 1989).
 * @param scores log-likelihood ratio of each group; positive means speaker 1
 */
export function inferSpeakers(scores: Float64Array, groups: WordGroup[]): Float64Array {
  const count = scores.length
  const likelihoods = scores.map((score) => sigmoid(Math.max(-MAX_SCORE, Math.min(MAX_SCORE, score))))
  const change = groups.map(({ afterPause }) => (afterPause ? CHANGE_PROBABILITY.atPause : CHANGE_PROBABILITY.inSpeech))
  // Probabilities of speaker 1 given the groups up to and including each one, and given the groups after it.
  const forward = new Float64Array(count)
  const backward = new Float64Array(count).fill(0.5)
  for (let n = 0; n < count; n++)
    forward[n] = combine(n === 0 ? 0.5 : pass(forward[n - 1]!, change[n]!), likelihoods[n]!)
  for (let n = count - 2; n >= 0; n--)
    backward[n] = pass(combine(backward[n + 1]!, likelihoods[n + 1]!), change[n + 1]!)
  return forward.map((probability, n) => combine(probability, backward[n]!))
}

/** Combines two probabilities of the same fact from independent evidence. */
function combine(a: number, b: number): number {
  return (a * b) / (a * b + (1 - a) * (1 - b))
}

const pass = (probability: number, change: number): number => probability * (1 - change) + (1 - probability) * change

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))
