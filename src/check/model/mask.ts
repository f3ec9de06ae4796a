import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { infoOf } from '../../platform/lib/morphology.ts'
import { mayBeName } from '../rules/slots.ts'
import type { Dialogue, Evidence } from '../rules/types.ts'
import { SENTENCE, wordsOf } from '../rules/words.ts'
import { digitRuns } from './digit-runs.ts'
import { LONGEST_QUOTE } from './quotes.ts'

type Kind = 'number' | 'name'

const PLACEHOLDER = /\[(?:number|name) \d{1,9}\]/g

/** The masked parts of a segment, in the order of its text. */
interface Hidden {
  from: number
  to: number
  placeholder: string
}

/** Replaces sensitive text by placeholders, the same for the same text, so that quotes can be mapped back. */
export class Mask {
  private readonly placeholders = new Map<string, string>()
  private readonly originals = new Map<string, string>()
  private readonly hidden: Hidden[][]
  /** The masked text of each segment. */
  readonly lines: string[] = []

  /** The mask of a call. Load the lemmas of its words first. */
  static async of(dialogue: Dialogue, options: { names: boolean }): Promise<Mask> {
    const mask = new Mask(dialogue)
    await mask.read(options.names)
    return mask
  }

  private readonly dialogue: Dialogue
  private constructor(dialogue: Dialogue) {
    this.dialogue = dialogue
    this.hidden = dialogue.segments.map(() => [])
  }

  get count(): number {
    return this.hidden.reduce((sum, { length }) => sum + length, 0)
  }

  /** The masked text of a quote; no part of a number that it cuts is visible. */
  quote({ segment, from, to }: Pick<Evidence, 'segment' | 'from' | 'to'>): string {
    const text = this.dialogue.segments[segment]!.text
    let [shown, at] = ['', from]
    for (const hidden of this.hidden[segment]!) {
      if (hidden.to <= from || hidden.from >= to) continue
      shown += text.slice(at, Math.max(at, hidden.from)) + hidden.placeholder
      at = hidden.to
    }
    return shown + text.slice(Math.min(at, to), to)
  }

  /** Translates a quote of the masked text back to the original, up to the compared length. */
  reveal(quote: string): string {
    return quote
      .slice(0, LONGEST_QUOTE)
      .replaceAll(PLACEHOLDER, (placeholder) => this.originals.get(placeholder)?.slice(0, LONGEST_QUOTE) ?? placeholder)
  }

  private async read(names: boolean): Promise<void> {
    const { segments } = this.dialogue
    const numbers = segments.map((): { from: number; to: number }[] => [])
    for (const { piece, ...span } of await digitRuns(this.dialogue)) numbers[piece]!.push(span)
    for (const [index, { text }] of segments.entries()) {
      const found = numbers[index]!.map((span) => ({ ...span, kind: 'number' as Kind }))
      if (names) found.push(...(await namesIn(text, found)))
      found.sort((a, b) => a.from - b.from)
      for (const { from, to, kind } of found) {
        this.hidden[index]!.push({ from, to, placeholder: this.placeholderOf(text.slice(from, to), kind) })
        if (shouldYield()) await yieldToOthers()
      }
      this.lines.push(this.quote({ segment: index, from: 0, to: text.length }))
      if (shouldYield()) await yieldToOthers()
    }
  }

  private placeholderOf(original: string, kind: Kind): string {
    const known = this.placeholders.get(original)
    if (known) return known
    const placeholder = `[${kind} ${this.placeholders.size + 1}]`
    this.placeholders.set(original, placeholder)
    this.originals.set(placeholder, original)
    return placeholder
  }
}

async function namesIn(text: string, numbers: { from: number; to: number }[]) {
  const names: { from: number; to: number; kind: Kind }[] = []
  let next = 0
  for (const { word, from, to, capital, before } of wordsOf(text)) {
    if (shouldYield()) await yieldToOthers()
    while (numbers[next] && numbers[next]!.to <= from) next++
    if (numbers[next] && numbers[next]!.from < to) continue
    if (mayBeName(infoOf(word), word, capital && before !== SENTENCE)) names.push({ from, to, kind: 'name' })
  }
  return names
}
