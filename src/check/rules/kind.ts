import {
  searchRuleAnchors,
  isAfterAnchor,
  selectLinesOfSide,
  searchRuleWindow,
  calculateRuleWindow,
  type RuleContext,
  type TimedPhraseMatch,
} from './search.ts'
import type { PhrasesByLanguage, Rule, Verdict, VerdictReason } from './types.ts'

/** The verdict on a rule with the matches that prove it. judgeCall() turns them into quotes. */
export interface RuleOutcome {
  verdict: Verdict
  why: VerdictReason
  found: TimedPhraseMatch[]
}

/** A violation in a rule: its path within the rule, its code, and the message in English and Russian. */
export type RuleProblem = [path: string, code: string, en: string, ru: string]

/** Defines a kind of rules: its fields, how it judges, and the criterion for a model. kinds/index.ts lists all kinds. */
export interface RuleKind {
  /** Lists of fields. A rule needs at least one field of each list. */
  needs: (keyof Rule)[][]
  /** Optional fields besides the needed and the common ones. */
  takes: (keyof Rule)[]
  /** The allowed range of `min` and `max`; by default from 0 to 1e12. */
  limits?: [least: number, most: number]
  /** Whether other rules can use the matches of this rule as their condition. */
  findsWords: boolean
  /** The default of `mono` in rules of this kind. Undefined means that rules about one side search the whole text of a mono call. */
  mono?: 'skip'
  validate?(rule: Partial<Rule>): Iterable<RuleProblem>
  judge(context: RuleContext, rule: Rule): Promise<RuleOutcome>
  /** The instructions for a model. Kinds without them never use the model. */
  question?: ModelCriterion
}

interface ModelCriterion {
  /** @param examples formats some phrases of a list for the prompt */
  metWhen(rule: Rule, examples: (phrases: PhrasesByLanguage | undefined) => string): string
  /**
   * @param there ' there' if the rule has a window, else empty
   * @param noOccasion the text to append if a call without an occasion misses the rule
   */
  missedWhen(there: string, noOccasion: string): string
  /** The verdict that the model must prove with a quote. */
  quotes: 'met' | 'missed'
}

/**
 * Creates an outcome.
 * @param found the matches that prove the verdict, which become its quotes
 */
export const createRuleOutcome = (
  verdict: Verdict,
  why: VerdictReason,
  found: TimedPhraseMatch[] = [],
): RuleOutcome => ({
  verdict,
  why,
  found,
})

/** Creates the outcome `unknown` for a rule about one side in a call whose speakers are unknown. */
export const createSpeakersUnknownOutcome = (): RuleOutcome => createRuleOutcome('unknown', { code: 'speakersUnknown' })

/**
 * Creates the outcome `missed` for a search with too few matches.
 * @param needed the number of matches that the rule requires, if more than one
 */
export function createNotFoundOutcome(
  { talk }: RuleContext,
  rule: Rule,
  found: TimedPhraseMatch[] = [],
  needed?: number,
): RuleOutcome {
  const why: VerdictReason = { code: 'notFound', ...calculateRuleWindow(talk, rule) }
  return createRuleOutcome('missed', needed === undefined ? why : { ...why, found: found.length, needed }, found)
}

/**
 * Creates the outcome of a rule that had no occasion: not applicable if `na` is `anchor`, else missed.
 * The condition (`after`) did not occur, or a rule about numbers found no number.
 */
export const createNoOccasionOutcome = (context: RuleContext, rule: Rule): RuleOutcome =>
  rule.na === 'anchor'
    ? createRuleOutcome('not_applicable', { code: 'noAnchor' })
    : createNotFoundOutcome(context, rule)

interface RuleSearchScope {
  /** True if the condition of the rule (`after`) does not occur. */
  lacksAnchor: boolean
  /** Finds phrases in the window of the rule and after its condition, except those that `except` cancels. `negated` false also finds negated phrases. */
  find(phrases: PhrasesByLanguage | undefined, negated?: boolean): Promise<TimedPhraseMatch[]>
}

/**
 * Prepares the search of a rule: the lines of its side, and the matches of its condition.
 * @returns undefined if the side of the rule or of its condition is unknown, or the verdict of the rule in the condition
 */
export async function createRuleSearchScope(context: RuleContext, rule: Rule): Promise<RuleSearchScope | undefined> {
  const lines = selectLinesOfSide(context.talk, rule, rule.side)
  const anchors = rule.after ? await searchRuleAnchors(context, rule) : []
  if (!lines || !anchors) return undefined
  return {
    lacksAnchor: rule.after !== undefined && anchors.length === 0,
    async find(phrases, negated) {
      const found = await searchRuleWindow(context, rule, lines, phrases, negated)
      if (!rule.after) return found
      return found.filter((match) => anchors.some((anchor) => isAfterAnchor(anchor, match, rule.after!.within)))
    },
  }
}

/** Quotes a text of the request in a message. Only its first 60 characters are shown. */
export const formatExcerpt = (text: string): string => `«${text.length > 60 ? `${text.slice(0, 60)}…` : text}»`
