import { judge } from '../rules/judge.ts'
import { loadLemmas } from '../../platform/lib/morphology.ts'
import { windowOf } from '../rules/search.ts'
import { spanOf } from '../rules/talk.ts'
import type { Dialogue, Finding, Judgement, ModelAnswers, Rule, RuleSetBody } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { newId } from '../../platform/lib/ids.ts'
import { readAnswers, type Answer } from './answers.ts'
import { askModel, type Question, type Reply } from './client.ts'
import { Mask } from './mask.ts'
import { questionOf, rulesToAsk, windowInWords, writePrompt } from './prompt.ts'
import { findQuote } from './quotes.ts'

/** The purpose of a model's verdicts, for the ledger. */
type Purpose = Pick<Question, 'analysisId' | 'token' | 'attempt' | 'signal'> & {
  purpose: 'check' | 'try' | 'backtest'
}

interface Call {
  recordingId: string
  dialogue: Dialogue
}

/** The limit of tokens of an answer: some for each criterion, doubled after a truncated answer. */
const TOKENS_BASE = 300
const TOKENS_EACH = 160

interface Judging {
  core: Core
  call: Call
  rules: Rule[]
  purpose: Purpose
  mask: Mask
  /** Constant in all attempts of a check, so that a repeated question is found in the cache. */
  mark: string
  /** The verdicts of the rules' words without a model. */
  byWords: Judgement
  /** Verdicts of the model that the transcript supports. */
  answers: ModelAnswers
  tokens: { input: number; output: number }
}

/** Asks a model to judge. A verdict that the transcript does not support is requested once more, then unknown. */
export async function judgeByModel(core: Core, call: Call, set: RuleSetBody, names: boolean, purpose: Purpose) {
  const { dialogue } = call
  await loadLemmas()
  const byWords = await judge(set, dialogue)
  const rules = rulesToAsk(set.rules, dialogue)
  const tokens = { input: 0, output: 0 }
  if (rules.length === 0 || dialogue.segments.length === 0) return { judgement: byWords, tokens }
  const mark = sha256(purpose.analysisId ?? newId())
    .toString('hex')
    .slice(0, 8)
  const answers: ModelAnswers = {}
  const mask = await Mask.of(dialogue, { names })
  const judging: Judging = { core, call, rules: set.rules, purpose, mask, mark, byWords, answers, tokens }
  const problems = await ask(judging, rules, [])
  const left = rules.filter(({ key }) => !answers[key])
  if (left.length > 0) await ask(judging, left, problems)
  for (const { key } of rules) answers[key] ??= UNKNOWN
  return { judgement: await judge(set, dialogue, answers), tokens }
}

const UNKNOWN: ModelAnswers[string] = {
  verdict: 'unknown',
  evidence: [],
  why: 'The transcript does not bear out what the model answered.',
}

/** Asks a model for verdicts, and keeps supported ones. @param problems of earlier answers @returns those of this one */
async function ask(judging: Judging, asked: Rule[], problems: string[]): Promise<string[]> {
  const given = await readVerdicts(judging, asked, problems)
  const wrong: string[] = []
  for (const rule of asked) {
    const answer = given.find(({ id }) => id === rule.key)
    const words = judging.byWords.findings.find((finding) => finding.rule === rule.key)!
    const judged = answer ? await weigh(judging, rule, answer, words) : 'there is no answer in the form asked for'
    if (typeof judged === 'string') wrong.push(`${rule.key}: ${judged}`)
    else judging.answers[rule.key] = judged
  }
  return wrong
}

async function readVerdicts(judging: Judging, asked: Rule[], problems: string[]): Promise<Answer[]> {
  const { core, call, rules, mask, mark, tokens } = judging
  const messages = writePrompt(asked, call.dialogue, { rules, mask, mark, problems })
  const ids = asked.map(({ key }) => key)
  const purpose = problems.length > 0 ? ('repair' as const) : judging.purpose.purpose
  const question = { ...judging.purpose, recordingId: call.recordingId, messages, ids, redactions: mask.count, purpose }
  return readAnswers(await contentOf(core, question, tokens), ids)
}

async function weigh(
  { call: { dialogue }, mask }: Judging,
  rule: Rule,
  { verdict, segment, quote, why }: Answer,
  words: Finding,
): Promise<ModelAnswers[string] | string> {
  if (verdict === questionOf(rule)!.quotes) {
    const asked = { side: rule.side ?? 'any', exact: rule.critical === true }
    const given = { segment, quote: mask.reveal(quote) }
    const evidence = await findQuote(dialogue, given, { ...asked, ...windowOf(spanOf(dialogue), rule) })
    if (evidence) return { verdict, evidence: [evidence], why }
    const where = windowInWords(rule, dialogue)
    return where && (await findQuote(dialogue, given, asked))
      ? `those words do not begin ${where}`
      : 'no such words are in the transcript near that line, said by that side'
  }
  if (verdict === 'not_applicable') {
    if (rule.na !== 'anchor') return 'not_applicable is no answer to this criterion'
    return words.verdict === 'not_applicable' || words.verdict === 'unknown'
      ? { verdict, evidence: [], why }
      : 'there was an occasion for it'
  }
  // An absence cannot be quoted, so it must not contradict the matched words.
  const contrary = verdict === 'met' ? 'missed' : 'met'
  if (words.verdict === contrary) {
    const [found] = words.evidence
    return `the transcript holds: ${found ? mask.quote(found) : ''}`
  }
  return { verdict, evidence: [], why }
}

/** The text of the model; if its limit cut it off, asks once more with twice the tokens. */
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
