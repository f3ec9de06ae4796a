import {
  searchAnchors,
  isAfterAnchor,
  selectLines,
  searchWindow,
  calculateWindow,
  type RuleContext,
  type TimedMatch,
} from './search.ts'
import type { Phrases, Rule, Verdict, VerdictReason } from './types.ts'

/** A verdict and its matches; judge.ts turns these into quotes. */
export interface RuleOutcome {
  verdict: Verdict
  why: VerdictReason
  found: TimedMatch[]
}

/** Something that is wrong with a rule: the path within it, a code, and a sentence in both languages. */
export type RuleProblem = [path: string, code: string, en: string, ru: string]

/** A kind of rules. Each is defined in kinds/ and listed in kinds/index.ts. */
export interface RuleKind {
  /** Fields of which a rule needs at least one, for each list. */
  needs: (keyof Rule)[][]
  /** Fields that a rule can have besides these and the common ones. */
  takes: (keyof Rule)[]
  /** Limits of `min` and `max`. */
  limits?: [least: number, most: number]
  /** Whether the matches of this rule can be the condition of others. */
  findsWords: boolean
  /** How a rule about one side treats a call with unknown speakers by default; search if undefined. */
  mono?: 'skip'
  /** Checks a rule whose fields fit the schema. */
  validate?(rule: Partial<Rule>): Iterable<RuleProblem>
  judge(context: RuleContext, rule: Rule): Promise<RuleOutcome>
  /** The question for the model. Without it the model is not asked. */
  question?: ModelCriterion
}

interface ModelCriterion {
  /** @param examples writes some phrases of a list */
  metWhen(rule: Rule, examples: (phrases: Phrases | undefined) => string): string
  /**
   * @param there ' there' if the rule has a window
   * @param noOccasion what to append if a call without an occasion misses the rule
   */
  missedWhen(there: string, noOccasion: string): string
  /** The verdict that needs a quote. */
  quotes: 'met' | 'missed'
}

/** The outcome of judging a rule. */
export const createOutcome = (verdict: Verdict, why: VerdictReason, found: TimedMatch[] = []): RuleOutcome => ({
  verdict,
  why,
  found,
})

/** The outcome of a rule about one side if the sides are unknown. */
export const createSpeakersUnknownOutcome = (): RuleOutcome => createOutcome('unknown', { code: 'speakersUnknown' })

/** The outcome of a search without enough matches. @param needed the number of matches that the rule asks for */
export function createNotFoundOutcome(
  { talk }: RuleContext,
  rule: Rule,
  found: TimedMatch[] = [],
  needed?: number,
): RuleOutcome {
  const why: VerdictReason = { code: 'notFound', ...calculateWindow(talk, rule) }
  return createOutcome('missed', needed === undefined ? why : { ...why, found: found.length, needed }, found)
}

/** The verdict of a rule whose condition (`after`) does not occur. */
export const createNoAnchorOutcome = (context: RuleContext, rule: Rule): RuleOutcome =>
  rule.na === 'anchor' ? createOutcome('not_applicable', { code: 'noAnchor' }) : createNotFoundOutcome(context, rule)

/** The searched part; undefined if it is about one side and the speakers are unknown. */
interface SearchScope {
  /** True if the condition of the rule does not occur. */
  lacksAnchor: boolean
  /** The matches of phrases in the window of the rule and after its anchors. */
  find(phrases: Phrases | undefined, negated?: boolean): Promise<TimedMatch[]>
}

/** Where a rule searches. @returns undefined if the phrase that it must follow was not said */
export async function createSearchScope(context: RuleContext, rule: Rule): Promise<SearchScope | undefined> {
  const lines = selectLines(context.talk, rule, rule.side)
  const anchors = rule.after ? await searchAnchors(context, rule) : []
  if (!lines || !anchors) return undefined
  return {
    lacksAnchor: rule.after !== undefined && anchors.length === 0,
    async find(phrases, negated) {
      const found = await searchWindow(context, rule, lines, phrases, negated)
      if (!rule.after) return found
      return found.filter((match) => anchors.some((anchor) => isAfterAnchor(anchor, match, rule.after!.within)))
    },
  }
}

/** A text of the request in a message, cut to a readable length. */
export const formatExcerpt = (text: string): string => `«${text.length > 60 ? `${text.slice(0, 60)}…` : text}»`
