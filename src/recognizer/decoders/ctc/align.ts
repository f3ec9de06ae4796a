import { CTC_BLANK_TOKEN, CTC_TOKEN_COUNT, RUSSIAN_ALPHABET, countTokenRows, CTC_SPACE_TOKEN } from './alphabet.ts'

/** The rows of one character: the first row, the row after the last one, and the mean probability. */
interface CharacterSpan {
  first: number
  end: number
  probability: number
}

/**
 * Finds the rows of each character of a recognized text (Viterbi alignment with CTC blanks). Returns undefined if there are fewer
 * rows than the text needs.
 * @param rows log probabilities, 35 per row
 */
export function alignTextToRows(rows: Float32Array, text: string): CharacterSpan[] | undefined {
  const columns = text
    .split('')
    .map((character) => (character === ' ' ? CTC_SPACE_TOKEN : RUSSIAN_ALPHABET.indexOf(character)))
  // The states alternate: blank, character, blank, and so on. The last state is a blank.
  const states = columns.flatMap((column) => [CTC_BLANK_TOKEN, column]).concat(CTC_BLANK_TOKEN)
  const path = findBestPath(rows, states)
  if (!path) return undefined
  const spans = columns.map((): CharacterSpan => ({ first: -1, end: -1, probability: 0 }))
  path.forEach((state, row) => {
    const span = state % 2 === 1 ? spans[(state - 1) / 2] : undefined
    if (!span) return
    if (span.first < 0) span.first = row
    span.end = row + 1
    span.probability += Math.exp(rows[row * CTC_TOKEN_COUNT + states[state]!]!)
  })
  return spans.map(({ first, end, probability }) => ({ first, end, probability: probability / (end - first) }))
}

/**
 * Returns the state of each row on the most probable path, or undefined if no path fits into the rows. The path starts in the
 * first character or the blank before it, and ends in the last character or the blank after it.
 */
function findBestPath(rows: Float32Array, states: number[]): number[] | undefined {
  const count = countTokenRows(rows)
  const steps = new Uint8Array(count * states.length)
  let before = new Float64Array(states.length).fill(-Infinity)
  // In row 0, the path can only be in one of the first two states.
  for (let row = 0; row < count; row++) {
    const now = new Float64Array(states.length)
    for (let state = 0; state < states.length; state++) {
      let [best, step] = [row === 0 && state < 2 ? 0 : before[state]!, 0]
      const one = state > 0 ? before[state - 1]! : -Infinity
      if (one > best) [best, step] = [one, 1]
      // The path can skip a blank, except between two equal letters, which CTC would merge.
      const canSkipBlank = state > 1 && states[state] !== CTC_BLANK_TOKEN && states[state] !== states[state - 2]
      const two = canSkipBlank ? before[state - 2]! : -Infinity
      if (two > best) [best, step] = [two, 2]
      now[state] = best + rows[row * CTC_TOKEN_COUNT + states[state]!]!
      steps[row * states.length + state] = step
    }
    before = now
  }
  let state = states.length - 1
  if (states.length > 1 && before[state - 1]! > before[state]!) state--
  if (count === 0 || before[state] === -Infinity) return undefined
  const path: number[] = []
  for (let row = count - 1; row >= 0; row--) {
    path.push(state)
    state -= steps[row * states.length + state]!
  }
  return path.toReversed()
}
