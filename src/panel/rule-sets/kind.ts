import type { PhrasesByLanguage, Rule, SpeakerSide } from '../../check/rules/types.ts'
import type { TranslationDictionary, Translation, TranslatedWords } from '../frame/words/translation.ts'

/** A part of the sentence that describes a rule: text, or phrases of which only the first are shown. `more` counts the others. */
export type RuleSentencePart = string | { phrases: string[]; more: string | null }

/** Fields of the form that edits a rule. Kinds with steps use `steps` and `within` instead of `groups` and `after`. */
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

/** `title` names what rules of the kind require. */
type KindWords = TranslationDictionary & { title: Translation<string> }

/** Describes how the panel shows rules of one kind. Each kind has a file in kinds/, which kinds/index.ts lists. */
export interface RuleKindView<W extends KindWords = KindWords> {
  words: W
  form: readonly RuleField[]
  /** Unit of the limits `min` and `max`. */
  unit?: Translation<string>
  /** Formats a measured value with its unit. */
  measured?: Translation<(shown: string) => string>
  /** Returns the middle part of a rule's sentence, between the condition and the time window. */
  sentence(rule: Rule, t: TranslatedWords<W>, parts: SentenceParts): RuleSentencePart[]
}

/** Parts of sentences that all kinds share, in the language of the reader. */
interface SentenceParts {
  /** Name of the side that speaks. */
  who: string
  sides: Record<SpeakerSide, string>
  /** The limits `min` and `max`, such as "from 5 to 15"; empty without limits. */
  bounds: string
  /** The number that determines the plural form of the unit after `bounds`. */
  last: number
  /** The hint of the rule, or its name if it has no hint. */
  explanation: string
  within: (seconds: number) => string
  list: (phrases: PhrasesByLanguage | undefined) => RuleSentencePart
  /** Phrase groups, all of which have to occur. @param first words before the first group of a rule without `any` */
  groups: (first?: string) => RuleSentencePart[]
}

/** Declares a rule kind. TypeScript infers the type of `t` in `sentence` from `words`. */
export const defineRuleKindView = <W extends KindWords>(view: RuleKindView<W>): RuleKindView<W> => view
