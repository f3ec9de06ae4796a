import type { AnalysisJson, FindingJson, FindingReviewJson, ReviewEntryJson } from './check-schema.ts'
import type { Analysis, FindingRow, Review } from './entity.ts'
import type { Rule } from '../rules/types.ts'
import { formatWhy } from '../rules/why.ts'
import { analysisMessages } from './messages.ts'
import { formatReason } from '../../platform/lib/stored-reason.ts'
import { currentLanguage } from '../../platform/lib/log.ts'

/** A check with the set behind its score. */
export type AnalysisRow = Analysis & Pick<AnalysisJson, 'ruleSet' | 'versions'>

export interface FoundRow extends Omit<FindingRow, 'waits' | 'analysisId'> {
  ruleSet: NonNullable<AnalysisJson['ruleSet']>
  rule: Rule
}

const STATUSES = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  DONE: 'done',
  SKIPPED: 'skipped',
  FAILED: 'failed',
  CANCELLED: 'none',
} as const

/** The check of a call: the state of its last one, and the current result. */
export function presentAnalysis(
  last: AnalysisRow | undefined,
  shown: AnalysisRow | undefined,
  found: FoundRow[],
  reviews: Review[],
): AnalysisJson {
  const status = last ? STATUSES[last.status] : 'none'
  const skipped = last?.status === 'SKIPPED' ? (last.reason as AnalysisJson['reasonCode']) : null
  const labels = found.filter(({ isLabel }) => isLabel).map((row) => presentLabel(row, reviews))
  return {
    status,
    reason: last ? reasonOf(last) : null,
    reasonCode: skipped,
    pause: null,
    provider: (shown?.provider ?? null) as AnalysisJson['provider'],
    model: shown?.model ?? null,
    ruleSet: shown?.ruleSet ?? null,
    score: shown?.score ?? null,
    scoreBeforeCritical: shown?.scoreBeforeCritical ?? null,
    scoreAuto: shown?.scoreAuto ?? null,
    coverage: shown?.coverage ?? null,
    findings: found.filter(({ isLabel }) => !isLabel).map((row) => presentFinding(row, reviews)),
    labels: labels.filter(({ verdict }) => verdict === 'met'),
    overturnedLabels: labels.filter(({ verdict }) => verdict !== 'met'),
    usage: presentUsage(shown),
    cost: presentCost(shown),
    outdated: Boolean(shown?.outdatedAt),
    updatedAt: shown?.changedAt.toISOString() ?? null,
    versions: shown?.versions ?? [],
  }
}

function presentUsage({ inputTokens = null, outputTokens = null }: Partial<AnalysisRow> = {}): AnalysisJson['usage'] {
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens }
}

function presentCost({ cost = null, currency = null }: Partial<AnalysisRow> = {}): AnalysisJson['cost'] {
  return cost === null || currency === null ? null : { amount: cost, currency }
}

function reasonOf({ status, reason, lastError, messageJson }: AnalysisRow): string | null {
  if (status === 'SKIPPED') {
    const message = reason === 'noTranscript' ? analysisMessages.noTranscript() : analysisMessages.noRuleSet()
    return message.in(currentLanguage())
  }
  return status === 'FAILED' || status === 'QUEUED' ? formatReason(lastError, messageJson) : null
}

function presentFinding(row: FoundRow, reviews: Review[]): FindingJson {
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
    why: formatWhy(why),
    whyCode: why,
    evidence,
    ...reviewsOf(row, reviews),
  }
}

function presentLabel(row: FoundRow, reviews: Review[]): AnalysisJson['labels'][number] {
  const { id, ruleSet, rule, verdict, evidence } = row
  return { id, ruleSet, rule: { key: rule.key, name: rule.name }, verdict, evidence, ...reviewsOf(row, reviews) }
}

/** Decisions and disputes about one rule in one text: the current state and the whole history. */
function reviewsOf(row: FoundRow, reviews: Review[]): { review: FindingReviewJson | null; reviews: ReviewEntryJson[] } {
  const { ruleSet, ruleKey, ruleHash, machineVerdict } = row
  const of = reviews.filter(
    (one) => one.ruleSetId === ruleSet.id && one.ruleKey === ruleKey && one.ruleHash === ruleHash,
  )
  return { review: reviewOf(of, machineVerdict), reviews: of.map(presentEntry).toReversed() }
}

const presentEntry = (one: Review): ReviewEntryJson => ({
  kind: one.kind,
  verdict: one.verdict,
  machineVerdict: one.machineVerdict,
  comment: one.comment || null,
  person: personOf(one),
  at: one.createdAt.toISOString(),
})

function reviewOf(of: Review[], machineVerdict: FoundRow['machineVerdict']): FindingReviewJson | null {
  const decision = of.find(({ kind }) => kind === 'verdict')
  const dispute = of[0]?.kind === 'dispute' ? of[0] : undefined
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

const personOf = ({ personId, personName }: Review) => ({ id: personId, name: personName })
