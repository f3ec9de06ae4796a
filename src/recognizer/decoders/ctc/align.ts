import { BLANK_TOKEN, TOKEN_COUNT, ALPHABET, countRows, SPACE_TOKEN } from './alphabet.ts'

/** The position of a character in the rows: its first row, the one after its last, and its mean probability. */
interface CharacterSpan {
  first: number
  end: number
  probability: number
}

/** Aligns a text with the rows of its recognition (Viterbi, with CTC blanks); undefined with too few rows. */
export function alignText(rows: Float32Array, text: string): CharacterSpan[] | undefined {
  const columns = text.split('').map((character) => (character === ' ' ? SPACE_TOKEN : ALPHABET.indexOf(character)))
  // Blank, character, blank, character, … blank.
  const states = columns.flatMap((column) => [BLANK_TOKEN, column]).concat(BLANK_TOKEN)
  const path = findBestPath(rows, states)
  if (!path) return undefined
  const spans = columns.map((): CharacterSpan => ({ first: -1, end: -1, probability: 0 }))
  path.forEach((state, row) => {
    const span = state % 2 === 1 ? spans[(state - 1) / 2] : undefined
    if (!span) return
    if (span.first < 0) span.first = row
    span.end = row + 1
    span.probability += Math.exp(rows[row * TOKEN_COUNT + states[state]!]!)
  })
  return spans.map(({ first, end, probability }) => ({ first, end, probability: probability / (end - first) }))
}

/** The state of each row on the best path from the first character or the blank before it to the last or the one behind. */
function findBestPath(rows: Float32Array, states: number[]): number[] | undefined {
  const count = countRows(rows)
  const steps = new Uint8Array(count * states.length)
  let before = new Float64Array(states.length).fill(-Infinity)
  // Before the first row, the path is before the first state.
  for (let row = 0; row < count; row++) {
    const now = new Float64Array(states.length)
    for (let state = 0; state < states.length; state++) {
      let [best, step] = [row === 0 && state < 2 ? 0 : before[state]!, 0]
      const one = state > 0 ? before[state - 1]! : -Infinity
      if (one > best) [best, step] = [one, 1]
      // Skips a blank, but not between two equal letters: they would become one.
      const canSkipBlank = state > 1 && states[state] !== BLANK_TOKEN && states[state] !== states[state - 2]
      const two = canSkipBlank ? before[state - 2]! : -Infinity
      if (two > best) [best, step] = [two, 2]
      now[state] = best + rows[row * TOKEN_COUNT + states[state]!]!
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
