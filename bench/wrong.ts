/** A word as it is shown, and the words that it sounds as. */
export interface Shown {
  spoken: string[]
  wrong: boolean
}

/** So many words may be written together, or one apart. */
const MOST_JOINED = 3

/** What a step of the shortest way costs, and how many words it takes of what was heard and of what was said. */
interface Step {
  cost: number
  heard: number
  said: number
}

/**
 * Marks what was heard wrong: what the shortest way from one text to the other (Levenshtein) replaces or adds. Words
 * written together or apart ("under score") are no other words. A word that was passed over leaves nothing to mark.
 */
export function markWrong(said: string[], shown: Shown[]): void {
  const heard = shown.flatMap((own) => own.spoken.map((word) => ({ word, own })))
  const words = heard.map(({ word }) => word)
  const steps = stepsBetween(words, said)
  let [i, j] = [heard.length, said.length]
  while (i > 0 || j > 0) {
    const step = steps[i]![j]!
    const isSame = words.slice(i - step.heard, i).join('') === said.slice(j - step.said, j).join('')
    if (!isSame && step.heard > 0) heard[i - 1]!.own.wrong = true
    i -= step.heard
    j -= step.said
  }
}

/** The last step of the shortest way to each pair of places. */
function stepsBetween(heard: string[], said: string[]): Step[][] {
  const steps: Step[][] = []
  for (let i = 0; i <= heard.length; i++) {
    steps.push([])
    for (let j = 0; j <= said.length; j++) {
      const ways = i + j === 0 ? [{ cost: 0, heard: 0, said: 0 }] : waysTo(heard, said, i, j, steps)
      steps[i]!.push(ways.reduce((best, way) => (way.cost < best.cost ? way : best)))
    }
  }
  return steps
}

function waysTo(heard: string[], said: string[], i: number, j: number, steps: Step[][]): Step[] {
  const before = (x: number, y: number) => steps[i - x]![j - y]!.cost
  const ways: Step[] = []
  if (i > 0 && j > 0) ways.push({ cost: before(1, 1) + (heard[i - 1] === said[j - 1] ? 0 : 1), heard: 1, said: 1 })
  if (j > 0) ways.push({ cost: before(0, 1) + 1, heard: 0, said: 1 })
  if (i > 0) ways.push({ cost: before(1, 0) + 1, heard: 1, said: 0 })
  for (let n = 2; n <= MOST_JOINED; n++) {
    if (i >= n && j > 0 && heard.slice(i - n, i).join('') === said[j - 1])
      ways.push({ cost: before(n, 1), heard: n, said: 1 })
    if (j >= n && i > 0 && said.slice(j - n, j).join('') === heard[i - 1])
      ways.push({ cost: before(1, n), heard: 1, said: n })
  }
  return ways
}
