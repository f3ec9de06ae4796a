import { LETTERS } from './alphabet.ts'
import { NONE } from './tree.ts'

/** A trie of a list of words. Node 0 is the empty beginning. */
export class KnownWords {
  private readonly nodes = new Map<number, number>()

  constructor(words: Iterable<string>) {
    for (const word of words) this.add(word)
  }

  next(node: number, letter: number): number {
    return node === NONE ? NONE : (this.nodes.get(node * LETTERS.length + letter) ?? NONE)
  }

  private add(word: string): void {
    let node = 0
    for (const character of word) {
      const letter = LETTERS.indexOf(character)
      // The search cannot match text after a foreign character.
      if (letter < 0) return
      const key = node * LETTERS.length + letter
      node = this.nodes.get(key) ?? this.nodes.size + 1
      this.nodes.set(key, node)
    }
  }
}
