import { judgeCall } from '../rules/judge-call.ts'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { calculateRuleWindow } from '../rules/search.ts'
import { calculateDialogueTimeSpan } from '../rules/tokenize.ts'
import type { Dialogue, RuleFinding, CallJudgement, ModelAnswers, Rule, RuleSetBody } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { parseModelAnswers, type ModelCriterionAnswer } from './answers.ts'
import { fetchModelReply, type ModelRequest, type ModelReply } from './client.ts'
import { TranscriptMask } from './mask.ts'
import { modelQuestionOf, selectModelRules, formatRuleWindow, buildModelPrompt } from './prompt.ts'
import { findQuoteEvidence } from './quotes.ts'

type RequestPurpose = Pick<ModelRequest, 'analysisId' | 'token' | 'attempt' | 'signal'> & {
  purpose: 'check' | 'try' | 'backtest'
}

interface CallDialogue {
  recordingId: string
  dialogue: Dialogue
}

/** The token limit of a reply: a base and a share for each criterion. It is doubled after a truncated reply. */
const BASE_ANSWER_TOKENS = 300
const ANSWER_TOKENS_PER_CRITERION = 160

interface ModelJudging {
  core: Core
  call: CallDialogue
  rules: Rule[]
  purpose: RequestPurpose
  mask: TranscriptMask
  /** Begins each line of the transcript. It is the same in all attempts of a check, so that the cache finds an unchanged request. */
  mark: string
  /** The verdicts that the phrases of the rules give without a model. */
  byWords: CallJudgement
  /** Verdicts of the model that the transcript supports, by rule key. */
  answers: ModelAnswers
  tokens: { input: number; output: number }
}

/**
 * Judges a call by a rule set with a model. A verdict that the transcript does not support is requested once more, then unknown.
 * @returns the judgement and the tokens used
 * @throws RetryableModelError, JobNotReadyError, JobFailedError
 */
export async function judgeCallByModel(
  core: Core,
  call: CallDialogue,
  set: RuleSetBody,
  masksNames: boolean,
  purpose: RequestPurpose,
) {
  const { dialogue } = call
  await loadMorphology()
  const byWords = await judgeCall(set, dialogue)
  const rules = selectModelRules(set.rules, dialogue)
  const tokens = { input: 0, output: 0 }
  if (rules.length === 0 || dialogue.segments.length === 0) return { judgement: byWords, tokens }
  const mark = sha256(purpose.analysisId ?? generateId())
    .toString('hex')
    .slice(0, 8)
  const answers: ModelAnswers = {}
  const mask = await TranscriptMask.create(dialogue, { names: masksNames })
  const judging: ModelJudging = { core, call, rules: set.rules, purpose, mask, mark, byWords, answers, tokens }
  const problems = await requestVerdicts(judging, rules, [])
  const unanswered = rules.filter(({ key }) => !answers[key])
  if (unanswered.length > 0) await requestVerdicts(judging, unanswered, problems)
  for (const { key } of rules) answers[key] ??= UNKNOWN_ANSWER
  return { judgement: await judgeCall(set, dialogue, answers), tokens }
}

const UNKNOWN_ANSWER: ModelAnswers[string] = {
  verdict: 'unknown',
  evidence: [],
  why: 'The transcript does not bear out what the model answered.',
}

/**
 * Requests verdicts and stores the supported ones in `judging.answers`.
 * @param problems of the earlier answers, which the prompt repeats
 * @returns the problems of the new answers
 */
async function requestVerdicts(judging: ModelJudging, criteria: Rule[], problems: string[]): Promise<string[]> {
  const received = await fetchVerdicts(judging, criteria, problems)
  const newProblems: string[] = []
  for (const rule of criteria) {
    const answer = received.find(({ id }) => id === rule.key)
    const wordFinding = judging.byWords.findings.find((finding) => finding.rule === rule.key)!
    const result = answer
      ? await verifyAnswer(judging, rule, answer, wordFinding)
      : 'there is no answer in the form asked for'
    if (typeof result === 'string') newProblems.push(`${rule.key}: ${result}`)
    else judging.answers[rule.key] = result
  }
  return newProblems
}

async function fetchVerdicts(
  judging: ModelJudging,
  criteria: Rule[],
  problems: string[],
): Promise<ModelCriterionAnswer[]> {
  const { core, call, rules, mask, mark, tokens } = judging
  const messages = buildModelPrompt(criteria, call.dialogue, { rules, mask, mark, problems })
  const ids = criteria.map(({ key }) => key)
  const purpose = problems.length > 0 ? ('repair' as const) : judging.purpose.purpose
  const request = { ...judging.purpose, recordingId: call.recordingId, messages, ids, redactions: mask.count, purpose }
  return parseModelAnswers(await fetchContent(core, request, tokens), ids)
}

async function verifyAnswer(
  { call: { dialogue }, mask }: ModelJudging,
  rule: Rule,
  { verdict, segment, quote, why }: ModelCriterionAnswer,
  wordFinding: RuleFinding,
): Promise<ModelAnswers[string] | string> {
  if (verdict === modelQuestionOf(rule)!.quotes) {
    const criteria = { side: rule.side ?? 'any', exact: rule.critical === true }
    const received = { segment, quote: mask.unmask(quote) }
    const evidence = await findQuoteEvidence(dialogue, received, {
      ...criteria,
      ...calculateRuleWindow(calculateDialogueTimeSpan(dialogue), rule),
    })
    if (evidence) return { verdict, evidence: [evidence], why }
    const windowText = formatRuleWindow(rule, dialogue)
    return windowText && (await findQuoteEvidence(dialogue, received, criteria))
      ? `those words do not begin ${windowText}`
      : 'no such words are in the transcript near that line, said by that side'
  }
  if (verdict === 'not_applicable') {
    if (rule.na !== 'anchor') return 'not_applicable is no answer to this criterion'
    return wordFinding.verdict === 'not_applicable' || wordFinding.verdict === 'unknown'
      ? { verdict, evidence: [], why }
      : 'there was an occasion for it'
  }
  if (wordFinding.why.code === 'speakersUnknown') return 'who says it is uncertain'
  // A missing phrase cannot be quoted, so the verdict must not contradict the phrases that were found.
  const opposite = verdict === 'met' ? 'missed' : 'met'
  if (wordFinding.verdict === opposite) {
    const [found] = wordFinding.evidence
    return `the transcript holds: ${found ? mask.maskQuote(found) : ''}`
  }
  return { verdict, evidence: [], why }
}

/** Requests the reply, and once more with twice the tokens if the limit truncated it. */
async function fetchContent(
  core: Core,
  request: Omit<ModelRequest, 'maxTokens'>,
  totalTokens: { input: number; output: number },
): Promise<string> {
  const maxTokens = BASE_ANSWER_TOKENS + ANSWER_TOKENS_PER_CRITERION * request.ids.length
  const addTokens = ({ tokens }: ModelReply) => {
    totalTokens.input += tokens.input
    totalTokens.output += tokens.output
  }
  const first = await fetchModelReply(core, { ...request, maxTokens })
  addTokens(first)
  if (!first.isCut) return first.content
  const second = await fetchModelReply(core, { ...request, maxTokens: 2 * maxTokens })
  addTokens(second)
  return second.content
}
