/** A step of the shortest way between two texts: which word of the one meets which of the other; -1 meets none. */
export interface Step {
  said: number
  heard: number
  isSame: boolean
}

/** The shortest way (Levenshtein) from what was said to what was heard. */
export function wayBetween(said: string[], heard: string[]): Step[] {
  const costs = costsOf(said, heard)
  const way: Step[] = []
  let [i, j] = [said.length, heard.length]
  while (i > 0 || j > 0) {
    const isSame = i > 0 && j > 0 && said[i - 1] === heard[j - 1]
    const both = i > 0 && j > 0 ? costs[i - 1]![j - 1]! + (isSame ? 0 : 1) : Infinity
    if (both === costs[i]![j]) way.push({ said: --i, heard: --j, isSame })
    else if (i > 0 && costs[i - 1]![j]! + 1 === costs[i]![j]) way.push({ said: --i, heard: -1, isSame: false })
    else way.push({ said: -1, heard: --j, isSame: false })
  }
  return way.toReversed()
}

/** How many words are to be replaced, put in or left out. */
export const distance = (said: string[], heard: string[]): number =>
  wayBetween(said, heard).filter(({ isSame }) => !isSame).length

/** What the way from the first i words to the first j costs. */
function costsOf(said: string[], heard: string[]): Uint32Array[] {
  const costs = [Uint32Array.from({ length: heard.length + 1 }, (_, j) => j)]
  for (const [i, word] of said.entries()) {
    const row = new Uint32Array(heard.length + 1)
    row[0] = i + 1
    for (const [j, other] of heard.entries()) {
      const both = costs[i]![j]! + (word === other ? 0 : 1)
      row[j + 1] = Math.min(row[j]! + 1, costs[i]![j + 1]! + 1, both)
    }
    costs.push(row)
  }
  return costs
}
