import type { AnalysisJson, FindingJson, FindingReviewJson, ReviewEntryJson } from './check-schema.ts'
import type { Analysis, FindingRow } from './entity.ts'
import type { Rule } from '../rules/types.ts'
import { formatWhy } from '../rules/why.ts'
import type { StoredReview } from './store.ts'
import { analysisMessages } from './messages.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { formatReason } from '../../platform/lib/stored-reason.ts'
import { currentLanguage } from '../../platform/lib/log.ts'

/** A check with the set that gave its score. */
export type AnalysisRow = Pick<
  Analysis,
  | 'id'
  | 'status'
  | 'reason'
  | 'lastError'
  | 'messageJson'
  | 'provider'
  | 'model'
  | 'transcriptHash'
  | 'score'
  | 'scoreAuto'
  | 'scoreBeforeCritical'
  | 'coverage'
  | 'inputTokens'
  | 'outputTokens'
  | 'cost'
  | 'currency'
  | 'changedAt'
  | 'outdatedAt'
  | 'isCurrent'
> &
  Pick<AnalysisJson, 'ruleSet' | 'versions'>

/** What was found, with the set and the rule that it was found by. */
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

const NOTHING: AnalysisJson = {
  status: 'none',
  reason: null,
  reasonCode: null,
  pause: null,
  provider: null,
  model: null,
  ruleSet: null,
  score: null,
  scoreBeforeCritical: null,
  scoreAuto: null,
  coverage: null,
  findings: [],
  labels: [],
  overturnedLabels: [],
  usage: null,
  cost: null,
  outdated: false,
  updatedAt: null,
  versions: [],
}

/** The check of a call: how its last one stands, and what holds. */
export function presentAnalysis(
  last: AnalysisRow | undefined,
  shown: AnalysisRow | undefined,
  found: FoundRow[],
  reviews: StoredReview[],
): AnalysisJson {
  const status = last ? STATUSES[last.status] : 'none'
  const skipped = last?.status === 'SKIPPED' ? (last.reason as AnalysisJson['reasonCode']) : null
  const state = { status, reason: last ? reasonOf(last) : null, reasonCode: skipped, pause: null }
  if (!shown) return { ...NOTHING, ...state }
  const { inputTokens, outputTokens, cost, currency } = shown
  const labels = found.filter(({ isLabel }) => isLabel).map((row) => presentLabel(row, reviews))
  return {
    ...state,
    provider: shown.provider as AnalysisJson['provider'],
    model: shown.model,
    ruleSet: shown.ruleSet,
    score: shown.score,
    scoreBeforeCritical: shown.scoreBeforeCritical,
    scoreAuto: shown.scoreAuto,
    coverage: shown.coverage,
    findings: found.filter(({ isLabel }) => !isLabel).map((row) => presentFinding(row, reviews)),
    labels: labels.filter(({ verdict }) => verdict === 'met'),
    overturnedLabels: labels.filter(({ verdict }) => verdict !== 'met'),
    usage: inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens },
    cost: cost === null || currency === null ? null : { amount: cost, currency },
    outdated: shown.outdatedAt !== null,
    updatedAt: shown.changedAt.toISOString(),
    versions: shown.versions,
  }
}

const SKIPPED: Record<string, () => Message> = {
  noTranscript: analysisMessages.noTranscript,
  noRuleSet: analysisMessages.noRuleSet,
}

function reasonOf({ status, reason, lastError, messageJson }: AnalysisRow): string | null {
  if (status === 'SKIPPED') return SKIPPED[reason ?? '']?.().in(currentLanguage()) ?? reason
  return status === 'FAILED' || status === 'QUEUED' ? formatReason(lastError, messageJson) : null
}

/** A finding with the decisions and disputes about it. */
function presentFinding(row: FoundRow, reviews: StoredReview[]): FindingJson {
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

function presentLabel(row: FoundRow, reviews: StoredReview[]): AnalysisJson['labels'][number] {
  const { id, ruleSet, rule, verdict, evidence } = row
  return { id, ruleSet, rule: { key: rule.key, name: rule.name }, verdict, evidence, ...reviewsOf(row, reviews) }
}

/** Decisions and disputes about one rule in one text: the current state and the whole history. */
function reviewsOf(
  row: FoundRow,
  reviews: StoredReview[],
): { review: FindingReviewJson | null; reviews: ReviewEntryJson[] } {
  const { ruleSet, ruleKey, ruleHash, machineVerdict } = row
  const of = reviews.filter(
    (one) => one.ruleSetId === ruleSet.id && one.ruleKey === ruleKey && one.ruleHash === ruleHash,
  )
  return { review: reviewOf(of, machineVerdict), reviews: of.map(presentEntry).toReversed() }
}

const presentEntry = (one: StoredReview): ReviewEntryJson => ({
  kind: one.kind,
  verdict: one.verdict,
  machineVerdict: one.machineVerdict,
  comment: one.comment || null,
  person: personOf(one),
  at: one.createdAt.toISOString(),
})

/** Finds the last decision, and a dispute after it. */
function reviewOf(of: StoredReview[], machineVerdict: FoundRow['machineVerdict']): FindingReviewJson | null {
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

const personOf = ({ personId, personName }: StoredReview) => ({ id: personId, name: personName })
