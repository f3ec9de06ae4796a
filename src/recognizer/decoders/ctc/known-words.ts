import { RUSSIAN_ALPHABET } from './alphabet.ts'
import { NO_TREE_NODE } from './token-tree.ts'

/** A trie of the words of a language model. Node 0 is the empty prefix. */
export class KnownWordTrie {
  private readonly nodes = new Map<number, number>()

  constructor(words: Iterable<string>) {
    for (const word of words) this.add(word)
  }

  next(node: number, letter: number): number {
    return node === NO_TREE_NODE
      ? NO_TREE_NODE
      : (this.nodes.get(node * RUSSIAN_ALPHABET.length + letter) ?? NO_TREE_NODE)
  }

  private add(word: string): void {
    let node = 0
    for (const character of word) {
      const letter = RUSSIAN_ALPHABET.indexOf(character)
      // Stop at a letter outside of the alphabet: the search never produces one.
      if (letter < 0) return
      const key = node * RUSSIAN_ALPHABET.length + letter
      node = this.nodes.get(key) ?? this.nodes.size + 1
      this.nodes.set(key, node)
    }
  }
}
