import type { Call } from '../analysis/call.ts'
import { judge } from '../analysis/rules/judge.ts'
import { loadLemmas } from '../analysis/rules/lemmas.ts'
import type { Finding, Judgement, ModelAnswers, Rule, RuleSetBody } from '../analysis/rules/types.ts'
import type { Core } from '../core.ts'
import { sha256 } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { readAnswers, type Answer } from './answers.ts'
import { askModel, type Question, type Reply } from './client.ts'
import type { Tokens } from './ledger.ts'
import { Mask } from './mask.ts'
import { rulesToAsk, writePrompt } from './prompt.ts'
import { findQuote } from './quotes.ts'

/** What a model's judging is for, as the ledger tells. */
export type Purpose = Pick<Question, 'analysisId' | 'attempt' | 'signal'> & { purpose: 'check' | 'try' | 'backtest' }

export interface JudgedByModel {
  judgement: Judgement
  tokens: Pick<Tokens, 'input' | 'output'>
}

/** Tokens that an answer may take: some for each criterion, twice as many where they did not suffice. */
const TOKENS_BASE = 300
const TOKENS_EACH = 160

/**
 * Has a model judge what was said, and rules what can be measured. No verdict stands without the transcript's own words:
 * one that they do not bear out is asked for once more, and then unknown.
 */
export async function judgeByModel(
  core: Core,
  { recordingId, dialogue }: Call,
  set: RuleSetBody,
  names: boolean,
  purpose: Purpose,
): Promise<JudgedByModel> {
  await loadLemmas()
  const byWords = await judge(set, dialogue)
  const rules = rulesToAsk(set.rules, dialogue)
  const tokens = { input: 0, output: 0 }
  if (rules.length === 0 || dialogue.segments.length === 0) return { judgement: byWords, tokens }
  const mask = new Mask({ names })
  // The same in each attempt of a check, so that a question that is repeated is known again.
  const mark = sha256(purpose.analysisId ?? newId())
    .toString('hex')
    .slice(0, 8)
  const ask = async (asked: Rule[], problems: string[]): Promise<Answer[]> => {
    mask.count = 0
    const messages = writePrompt(asked, dialogue, { mask, mark, problems })
    const ids = asked.map(({ key }) => key)
    const question = { ...purpose, recordingId, messages, ids, redactions: mask.count }
    const kind = problems.length > 0 ? ('repair' as const) : purpose.purpose
    return readAnswers(await contentOf(core, { ...question, purpose: kind }, tokens), ids)
  }
  const answers: ModelAnswers = {}
  const settle = (given: Answer[]): string[] =>
    rules.flatMap((rule) => {
      if (answers[rule.key]) return []
      const answer = given.find(({ id }) => id === rule.key)
      const words = byWords.findings.find((finding) => finding.rule === rule.key)!
      const judged = answer ? weigh(rule, answer, words) : 'there is no answer in the form asked for'
      if (typeof judged === 'string') return [`${rule.key}: ${judged}`]
      answers[rule.key] = judged
      return []
    })
  const problems = settle(await ask(rules, []))
  if (problems.length > 0)
    settle(
      await ask(
        rules.filter(({ key }) => !answers[key]),
        problems,
      ),
    )
  for (const { key } of rules)
    answers[key] ??= {
      verdict: 'unknown',
      evidence: [],
      why: 'The transcript does not bear out what the model answered.',
    }
  return { judgement: await judge(set, dialogue, answers), tokens }

  /** An answer that the transcript bears out, or what is wrong with it. */
  function weigh(rule: Rule, { verdict, segment, quote, why }: Answer, words: Finding): ModelAnswers[string] | string {
    const needsQuote = rule.kind === 'notSaid' ? verdict === 'missed' : verdict === 'met'
    if (needsQuote) {
      const asked = { side: rule.side ?? 'any', exact: rule.critical === true }
      const evidence = findQuote(dialogue, { segment, quote: mask.reveal(quote) }, asked)
      return evidence
        ? { verdict, evidence: [evidence], why }
        : 'no such words are in the transcript near that line, said by that side'
    }
    if (verdict === 'not_applicable') {
      if (rule.na !== 'anchor') return 'not_applicable is no answer to this criterion'
      return words.verdict === 'not_applicable' || rule.kind === 'model'
        ? { verdict, evidence: [], why }
        : 'there was an occasion for it'
    }
    // That something was never said cannot be quoted: so it must not contradict the words that were found.
    const contrary = verdict === 'met' ? 'missed' : 'met'
    if (words.verdict === contrary) return `the transcript holds: ${mask.hide(words.evidence[0]?.quote ?? '')}`
    return { verdict, evidence: [], why }
  }
}

/** What the model writes; where its limit cut it off, asked once more with twice the tokens. */
async function contentOf(
  core: Core,
  question: Omit<Question, 'maxTokens'>,
  sum: { input: number; output: number },
): Promise<string> {
  const maxTokens = TOKENS_BASE + TOKENS_EACH * question.ids.length
  const count = ({ tokens }: Reply) => {
    sum.input += tokens.input
    sum.output += tokens.output
  }
  const first = await askModel(core, { ...question, maxTokens })
  count(first)
  if (!first.isCut) return first.content
  const second = await askModel(core, { ...question, maxTokens: 2 * maxTokens })
  count(second)
  return second.content
}
