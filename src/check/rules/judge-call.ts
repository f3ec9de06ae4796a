import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import * as kinds from './kinds/index.ts'
import type { RuleOutcome, RuleKind } from './kind.ts'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import type { RuleContext, TimedPhraseMatch } from './search.ts'
import { createEvidence, tokenizeDialogue } from './tokenize.ts'
import { resolveDoubtfulSpeakers, resolveUncertainSegments } from './uncertain-segments.ts'
import type {
  Dialogue,
  Evidence,
  RuleFinding,
  CallJudgement,
  RuleKindName,
  ModelAnswers,
  Rule,
  RuleSetBody,
  Verdict,
} from './types.ts'

export const RULE_KINDS: Record<RuleKindName, RuleKind> = kinds

/**
 * Judges a call by the rules of a rule set, yielding to the event loop. A verdict is unknown if it depends on uncertain segments,
 * and the verdict of a critical rule also if it depends on doubtful ones or on a doubtful agent.
 * Reuse `dialogue` and `set` objects, because their words and compiled phrases are cached by object.
 * @param answers of a model, which replace the verdicts by phrases
 */
export async function judgeCall(
  set: RuleSetBody,
  dialogue: Dialogue,
  answers: ModelAnswers = {},
): Promise<CallJudgement> {
  await loadMorphology()
  const findings = await judgeRules(set, dialogue, answers)
  const rejectDifferent = async (copies: Dialogue[], rules: Rule[]): Promise<void> => {
    for (const copy of copies)
      for (const { rule, verdict } of await judgeRules(set, copy, answers, rules)) {
        const index = findings.findIndex((finding) => finding.rule === rule)
        if (findings[index]!.verdict !== verdict) findings[index] = toSpeakersUnknownFinding(findings[index]!)
      }
  }
  await rejectDifferent(resolveUncertainSegments(dialogue), set.rules)
  const criticalRules = set.rules.filter(({ critical }) => critical)
  if (criticalRules.length > 0) await rejectDifferent(resolveDoubtfulSpeakers(dialogue), criticalRules)
  const labels = findings
    .filter(({ verdict }) => set.mode === 'label' && verdict === 'met')
    .map(({ rule, evidence }) => ({ rule, evidence }))
  return { ...calculateCallScore(set, findings), findings, labels }
}

const toSpeakersUnknownFinding = (finding: RuleFinding): RuleFinding => ({
  ...finding,
  verdict: 'unknown',
  evidence: [],
  why: { code: 'speakersUnknown' },
})

async function judgeRules(
  set: RuleSetBody,
  dialogue: Dialogue,
  answers: ModelAnswers,
  rules: Rule[] = set.rules,
): Promise<RuleFinding[]> {
  const talk = await tokenizeDialogue(dialogue)
  const outcomes = new Map<string, RuleOutcome>()
  const startedKeys = new Set<string>()
  const judgeRule = async (rule: Rule): Promise<RuleOutcome | undefined> => {
    // Each rule is judged once. In a circle of references, a rule that is being judged has no matches yet.
    if (startedKeys.has(rule.key)) return outcomes.get(rule.key)
    startedKeys.add(rule.key)
    const kind = RULE_KINDS[rule.kind]
    const result = await kind.judge(context, { ...rule, mono: rule.mono ?? kind.mono })
    outcomes.set(rule.key, result)
    return result
  }
  const context: RuleContext = {
    talk,
    async searchRuleMatches(key) {
      const rule = set.rules.find((other) => other.key === key)
      const known = rule && (await judgeRule(rule))
      return known?.verdict === 'unknown' ? undefined : (known?.found ?? [])
    },
  }
  const findings: RuleFinding[] = []
  for (const rule of rules) {
    findings.push(toModelFinding(rule, answers) ?? toRuleFinding(dialogue, rule, (await judgeRule(rule))!))
    if (shouldYield()) await yieldToEventLoop()
  }
  return findings
}

function toModelFinding({ key }: Rule, answers: ModelAnswers): RuleFinding | undefined {
  if (!Object.hasOwn(answers, key)) return undefined
  const { verdict, evidence, why } = answers[key]!
  return { rule: key, verdict, decidedBy: 'model', evidence, why: { code: 'model', text: why } }
}

const MAX_QUOTES = 10

function toRuleFinding(dialogue: Dialogue, { key }: Rule, { verdict, why, found }: RuleOutcome): RuleFinding {
  const quotes = found.slice(0, MAX_QUOTES).flatMap((match) => collectQuotes(dialogue, match))
  return { rule: key, verdict, decidedBy: 'rules', evidence: quotes.slice(0, MAX_QUOTES), why }
}

/** Returns one quote for each segment of a match. */
function collectQuotes({ segments }: Dialogue, { match: { line, first, last } }: TimedPhraseMatch): Evidence[] {
  const quotes = new Map<number, Evidence>()
  for (const { segment, from, to } of line.tokens.slice(first, last + 1)) {
    const begin = Math.min(from, quotes.get(segment)?.from ?? from)
    const end = Math.max(to, quotes.get(segment)?.to ?? to)
    const piece = segments[segment]!
    quotes.set(segment, createEvidence(piece, segment, begin, end, piece.isUncertain ? 'unknown' : line.side))
  }
  return [...quotes.values()]
}

type ScoreResult = Pick<CallJudgement, 'score' | 'scoreBeforeCritical' | 'coverage'>

/**
 * Calculates the score: 100 × weight of the met rules ÷ weight of the met and missed rules.
 * It is 0 if a critical rule is missed, else null if less than half of the weight is met or missed. Label sets have none.
 */
export function calculateCallScore(
  set: Pick<RuleSetBody, 'mode' | 'rules'>,
  findings: Pick<RuleFinding, 'rule' | 'verdict'>[],
): ScoreResult {
  if (set.mode === 'label') return { score: null, scoreBeforeCritical: null, coverage: null }
  const verdicts = new Map(findings.map(({ rule, verdict }) => [rule, verdict]))
  const sumWeights = (...counted: Verdict[]) =>
    set.rules
      .filter(({ key }) => counted.includes(verdicts.get(key) ?? 'unknown'))
      .reduce((sum, rule) => sum + (rule.weight ?? 0), 0)
  const [met, judged] = [sumWeights('met'), sumWeights('met', 'missed')]
  const totalWeight = sumWeights('met', 'missed', 'not_applicable', 'unknown')
  const coverage = totalWeight > 0 ? floorPercent(judged, totalWeight) : 0
  const known = coverage >= MIN_COVERAGE_PERCENT
  const scoreBeforeCritical = known ? Math.round((100 * met) / judged) : null
  const isCriticalMissed = set.rules.some(({ key, critical }) => critical && verdicts.get(key) === 'missed')
  return {
    score: isCriticalMissed ? 0 : scoreBeforeCritical,
    scoreBeforeCritical,
    coverage,
  }
}

/** A score needs at least this share of the weight met or missed. */
const MIN_COVERAGE_PERCENT = 50

/** Rounds down, so that less than half never becomes 50. The small addition corrects sums of decimal weights. */
const floorPercent = (part: number, totalWeight: number): number => Math.floor((100 * part) / totalWeight + 1e-9)
