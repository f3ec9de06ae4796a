import type { AnalysisJson, FindingJson, FindingReviewJson, FindingReviewEntryJson } from './check-schema.ts'
import type { CallAnalysis, FindingRow, FindingReview } from './entity.ts'
import { isReviewUndo, omitUndoneReviews } from './decisions.ts'
import type { Rule } from '../rules/types.ts'
import { formatVerdictReason } from '../rules/verdict-reason.ts'
import { analysisMessages } from './messages.ts'
import { formatReason } from '../../platform/lib/stored-reason.ts'
import { getCurrentLanguage } from '../../platform/lib/log.ts'

/** A row of a check, joined with the rule set behind its score and the versions that have checked the call. */
export type AnalysisRow = CallAnalysis & Pick<AnalysisJson, 'ruleSet' | 'versions'>

/** A row of a finding, joined with its rule and rule set. */
export interface FindingWithRule extends Omit<FindingRow, 'waits' | 'analysisId'> {
  ruleSet: NonNullable<AnalysisJson['ruleSet']>
  rule: Rule
}

const STATUS_NAMES = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  DONE: 'done',
  SKIPPED: 'skipped',
  FAILED: 'failed',
  CANCELLED: 'none',
} as const

/**
 * Formats a check for the API.
 * @param last the latest check, which gives the status
 * @param current the check whose result is valid
 */
export function presentAnalysis(
  last: AnalysisRow | undefined,
  current: AnalysisRow | undefined,
  findings: FindingWithRule[],
  reviews: FindingReview[],
): AnalysisJson {
  const status = last ? STATUS_NAMES[last.status] : 'none'
  const labels = findings.filter(({ isLabel }) => isLabel).map((row) => presentLabel(row, reviews))
  return {
    status,
    reason: last ? formatAnalysisReason(last) : null,
    reasonCode: last && hasMissingScore(last) ? (last.reason as AnalysisJson['reasonCode']) : null,
    pause: null,
    provider: (current?.provider ?? null) as AnalysisJson['provider'],
    model: current?.model ?? null,
    ruleSet: current?.ruleSet ?? null,
    score: current?.score ?? null,
    scoreBeforeCritical: current?.scoreBeforeCritical ?? null,
    scoreAuto: current?.scoreAuto ?? null,
    coverage: current?.coverage ?? null,
    findings: findings.filter(({ isLabel }) => !isLabel).map((row) => presentFinding(row, reviews)),
    labels: labels.filter(({ verdict }) => verdict === 'met'),
    overturnedLabels: labels.filter(({ verdict }) => verdict !== 'met'),
    usage: presentUsage(current),
    cost: presentCost(current),
    outdated: Boolean(current?.outdatedAt),
    updatedAt: current?.changedAt.toISOString() ?? null,
    versions: current?.versions ?? [],
  }
}

function presentUsage({ inputTokens = null, outputTokens = null }: Partial<AnalysisRow> = {}): AnalysisJson['usage'] {
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens }
}

function presentCost({ cost = null, currency = null }: Partial<AnalysisRow> = {}): AnalysisJson['cost'] {
  return cost === null || currency === null ? null : { amount: cost, currency }
}

/** Returns true for a check that was skipped, or that found labels but no score set. */
const hasMissingScore = ({ status, reason }: Pick<AnalysisRow, 'status' | 'reason'>): boolean =>
  status === 'SKIPPED' || (status === 'DONE' && reason !== null)

function formatAnalysisReason({ status, reason, lastError, messageJson }: AnalysisRow): string | null {
  if (hasMissingScore({ status, reason })) {
    if (reason === 'tooShort' || reason === 'tooFewWords') return formatReason(messageJson!.text, messageJson)
    const message = reason === 'noTranscript' ? analysisMessages.noTranscript() : analysisMessages.noRuleSet()
    return message.format(getCurrentLanguage())
  }
  return status === 'FAILED' || status === 'QUEUED' ? formatReason(lastError, messageJson) : null
}

function presentFinding(row: FindingWithRule, reviews: FindingReview[]): FindingJson {
  const { id, rule, verdict, decidedBy, why, evidence } = row
  return {
    id,
    rule: {
      key: rule.key,
      name: rule.name,
      kind: rule.kind,
      weight: rule.weight ?? 0,
      critical: rule.critical === true,
    },
    verdict,
    decidedBy,
    why: formatVerdictReason(why),
    whyCode: why,
    evidence,
    ...presentReviews(row, reviews),
  }
}

function presentLabel(row: FindingWithRule, reviews: FindingReview[]): AnalysisJson['labels'][number] {
  const { id, ruleSet, rule, verdict, evidence } = row
  return { id, ruleSet, rule: { key: rule.key, name: rule.name }, verdict, evidence, ...presentReviews(row, reviews) }
}

/** Selects the reviews of one rule and formats both the current state and the history, oldest first. */
function presentReviews(
  row: FindingWithRule,
  reviews: FindingReview[],
): { review: FindingReviewJson | null; reviews: FindingReviewEntryJson[] } {
  const { ruleSet, ruleKey, ruleHash, machineVerdict } = row
  const ruleReviews = reviews.filter(
    (one) => one.ruleSetId === ruleSet.id && one.ruleKey === ruleKey && one.ruleHash === ruleHash,
  )
  return {
    review: presentReview(omitUndoneReviews(ruleReviews), machineVerdict),
    reviews: ruleReviews.map(presentReviewEntry).toReversed(),
  }
}

const presentReviewEntry = (one: FindingReview): FindingReviewEntryJson => ({
  kind: isReviewUndo(one) ? 'undo' : one.kind,
  verdict: one.verdict,
  machineVerdict: one.machineVerdict,
  comment: one.comment || null,
  person: personOf(one),
  at: one.createdAt.toISOString(),
})

function presentReview(
  ruleReviews: FindingReview[],
  machineVerdict: FindingWithRule['machineVerdict'],
): FindingReviewJson | null {
  const decision = ruleReviews.find(({ kind }) => kind === 'verdict')
  const dispute = ruleReviews[0]?.kind === 'dispute' ? ruleReviews[0] : undefined
  if (!decision && !dispute) return null
  return {
    verdict: decision?.verdict ?? null,
    comment: decision?.comment ?? null,
    person: decision ? personOf(decision) : null,
    at: decision ? decision.createdAt.toISOString() : null,
    machineVerdict,
    dispute: dispute
      ? { comment: dispute.comment, person: personOf(dispute), at: dispute.createdAt.toISOString() }
      : null,
  }
}

const personOf = ({ personId, personName }: FindingReview) => ({ id: personId, name: personName })
