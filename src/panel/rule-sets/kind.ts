import type { Phrases, Rule, SpeakerSide } from '../../check/rules/types.ts'
import type { Dictionary, Translation, Words } from '../frame/words/translation.ts'

/** A part of a sentence: words, or phrases with the first ones shown. */
export type SentencePart = string | { phrases: string[]; more: string | null }

/** Fields of a rule's form; `steps` and `within` replace `groups` and `after` for rules with steps. */
type RuleField =
  | 'side'
  | 'any'
  | 'window'
  | 'bounds'
  | 'groups'
  | 'steps'
  | 'within'
  | 'after'
  | 'except'
  | 'na'
  | 'mono'

/** `title`: the requirement of a rule of the kind. */
type KindWords = Dictionary & { title: Translation<string> }

/** How the panel shows a kind of rules. Each is a file of kinds/ and listed in kinds/index.ts. */
export interface KindView<W extends KindWords = KindWords> {
  words: W
  form: readonly RuleField[]
  /** The unit of `min` and `max`. */
  unit?: Translation<string>
  /** A measured figure with its unit. */
  measured?: Translation<(shown: string) => string>
  /** The middle of the sentence about a rule, between its condition and its window. */
  sentence(rule: Rule, t: Words<W>, parts: SentenceParts): SentencePart[]
}

/** The parts of sentences of all kinds, in the language of the reader. */
interface SentenceParts {
  /** The speaker. */
  who: string
  sides: Record<SpeakerSide, string>
  /** `min` and `max`, as "from 5 to 15"; '' without them. */
  bounds: string
  /** The number that the unit after `bounds` agrees with. */
  last: number
  /** The hint of the rule, or its name. */
  explanation: string
  within: (seconds: number) => string
  list: (phrases: Phrases | undefined) => SentencePart
  /** `all`, after the words for the first group if the sentence begins with it. */
  groups: (first?: string) => SentencePart[]
}

/** Infers the words of a kind. */
export const kindView = <W extends KindWords>(view: KindView<W>): KindView<W> => view
