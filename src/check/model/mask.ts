import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord } from '../../platform/lib/morphology.ts'
import { canBeProperName } from '../rules/slots.ts'
import type { Dialogue, Evidence } from '../rules/types.ts'
import { SENTENCE_BREAK, splitWords } from '../rules/words.ts'
import { collectDigitRuns } from './digit-runs.ts'
import { MAX_QUOTE_CHARACTERS } from './quotes.ts'

type MaskedKind = 'number' | 'name'

const PLACEHOLDER_PATTERN = /\[(?:number|name) \d{1,9}\]/g

interface MaskedSpan {
  from: number
  to: number
  placeholder: string
}

/**
 * Replaces long numbers and, optionally, names by placeholders before a transcript is sent to a model.
 * Equal text gets the same placeholder, so that the quotes of the model can be mapped back.
 */
export class TranscriptMask {
  private readonly placeholders = new Map<string, string>()
  private readonly originals = new Map<string, string>()
  private readonly hidden: MaskedSpan[][]
  /** The masked text of each segment. */
  readonly lines: string[] = []

  /**
   * Masks the transcript of a call. Call loadMorphology() first.
   * @param options.names whether names are masked too
   */
  static async create(dialogue: Dialogue, options: { names: boolean }): Promise<TranscriptMask> {
    const mask = new TranscriptMask(dialogue)
    await mask.maskSegments(options.names)
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

  /** Returns the text of a quote with placeholders. A number that the quote cuts is masked completely. */
  maskQuote({ segment, from, to }: Pick<Evidence, 'segment' | 'from' | 'to'>): string {
    const text = this.dialogue.segments[segment]!.text
    let [shown, at] = ['', from]
    for (const hidden of this.hidden[segment]!) {
      if (hidden.to <= from || hidden.from >= to) continue
      shown += text.slice(at, Math.max(at, hidden.from)) + hidden.placeholder
      at = hidden.to
    }
    return shown + text.slice(Math.min(at, to), to)
  }

  /** Restores the original text in a quote of the model. The quote and the text of each placeholder are cut to MAX_QUOTE_CHARACTERS. */
  unmask(quote: string): string {
    return quote
      .slice(0, MAX_QUOTE_CHARACTERS)
      .replaceAll(
        PLACEHOLDER_PATTERN,
        (placeholder) => this.originals.get(placeholder)?.slice(0, MAX_QUOTE_CHARACTERS) ?? placeholder,
      )
  }

  private async maskSegments(names: boolean): Promise<void> {
    const { segments } = this.dialogue
    const numbers = segments.map((): { from: number; to: number }[] => [])
    for (const { piece, ...span } of await collectDigitRuns(this.dialogue)) numbers[piece]!.push(span)
    for (const [index, { text }] of segments.entries()) {
      const spans = numbers[index]!.map((span) => ({ ...span, kind: 'number' as MaskedKind }))
      if (names) spans.push(...(await collectNames(text, spans)))
      spans.sort((a, b) => a.from - b.from)
      for (const { from, to, kind } of spans) {
        this.hidden[index]!.push({ from, to, placeholder: this.assignPlaceholder(text.slice(from, to), kind) })
        if (shouldYield()) await yieldToEventLoop()
      }
      this.lines.push(this.maskQuote({ segment: index, from: 0, to: text.length }))
      if (shouldYield()) await yieldToEventLoop()
    }
  }

  private assignPlaceholder(original: string, kind: MaskedKind): string {
    const known = this.placeholders.get(original)
    if (known) return known
    const placeholder = `[${kind} ${this.placeholders.size + 1}]`
    this.placeholders.set(original, placeholder)
    this.originals.set(placeholder, original)
    return placeholder
  }
}

async function collectNames(text: string, numbers: { from: number; to: number }[]) {
  const names: { from: number; to: number; kind: MaskedKind }[] = []
  let next = 0
  for (const { word, from, to, capital, before } of splitWords(text)) {
    if (shouldYield()) await yieldToEventLoop()
    while (numbers[next] && numbers[next]!.to <= from) next++
    if (numbers[next] && numbers[next]!.from < to) continue
    if (canBeProperName(analyzeWord(word), word, capital && before !== SENTENCE_BREAK))
      names.push({ from, to, kind: 'name' })
  }
  return names
}
