import { infoOf } from '../analysis/rules/lemmas.ts'
import { beginsNumber } from '../analysis/rules/numbers.ts'
import { Pace } from '../analysis/rules/pace.ts'
import { mayBeName } from '../analysis/rules/slots.ts'
import { isDigit, SENTENCE, wordsOf, type Word } from '../analysis/rules/words.ts'

/** So many digits in a row are a phone, a card or a contract. */
const DIGITS = 5
/** So many number words in a row: what is dictated. A price has fewer. */
const NUMBER_WORDS = 6

/** Replaces what must not leave the server by placeholders, the same for the same text, so that quotes can be mapped back. */
export class Mask {
  private readonly placeholders = new Map<string, string>()
  private readonly originals = new Map<string, string>()
  private readonly names: boolean
  /** How much was replaced. */
  count = 0

  constructor(options: { names: boolean }) {
    this.names = options.names
  }

  /** The text as it may leave. Words are known by their lemmas: load them before. */
  async hide(text: string, pace = new Pace()): Promise<string> {
    const words: Word[] = []
    for (const word of wordsOf(text)) {
      words.push(word)
      if (pace.due()) await pace.rest()
    }
    let [hidden, at] = ['', 0]
    for (let n = 0; n < words.length;) {
      if (pace.due()) await pace.rest()
      const run = this.secretAt(words, n)
      if (run) {
        const [from, to] = [words[n]!.from, words[n + run.length - 1]!.to]
        hidden += text.slice(at, from) + this.placeholderOf(text.slice(from, to), run.kind)
        at = to
        this.count++
      }
      n += run?.length ?? 1
    }
    return hidden + text.slice(at)
  }

  /** A quote of the hidden text in the words of the true one. */
  reveal(quote: string): string {
    let revealed = quote
    for (const [placeholder, original] of this.originals) revealed = revealed.replaceAll(placeholder, original)
    return revealed
  }

  private secretAt(words: Word[], start: number): { length: number; kind: 'number' | 'name' } | undefined {
    let [digits, length, spoken] = [0, 0, false]
    for (let word = words[start]; word && isNumber(word); word = words[start + ++length]) {
      const isWritten = isDigit(word.word[0]!)
      digits += isWritten ? Array.from(word.word).filter(isDigit).length : 1
      spoken ||= !isWritten
    }
    if (digits >= (spoken ? NUMBER_WORDS : DIGITS)) return { length, kind: 'number' }
    const word = words[start]!
    const isName = this.names && mayBeName(infoOf(word.word), word.word, word.capital && word.before !== SENTENCE)
    return isName ? { length: 1, kind: 'name' } : undefined
  }

  private placeholderOf(original: string, kind: 'number' | 'name'): string {
    const known = this.placeholders.get(original)
    if (known) return known
    const placeholder = `[${kind} ${this.placeholders.size + 1}]`
    this.placeholders.set(original, placeholder)
    this.originals.set(placeholder, original)
    return placeholder
  }
}

const isNumber = ({ word }: Word): boolean => beginsNumber({ word, info: infoOf(word) })
