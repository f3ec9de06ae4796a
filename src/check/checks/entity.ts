import type { JobColumns } from '../../platform/queue/job-columns.ts'
import type { Evidence, Verdict, VerdictReason } from '../rules/types.ts'
import type { ReviewReason } from './values.ts'

/** A row of `analyses`, which is both a check of a call and its queue job. */
export interface CallAnalysis extends Pick<JobColumns, 'id' | 'lastError' | 'messageJson'> {
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'SKIPPED' | 'FAILED' | 'CANCELLED'
  /** True for the check whose result the call shows: the newest that completed, or found no rule set. */
  isCurrent: boolean
  /** When a correction of the call made the check outdated; null if none did. */
  outdatedAt: Date | null
  /** The code of the reason why the call was skipped, or has labels but no score. */
  reason: string | null
  provider: string | null
  model: string | null
  transcriptHash: string | null
  /** The score from 0 to 100, after the decisions of people. */
  score: number | null
  /** The score without the decisions of people. */
  scoreAuto: number | null
  scoreBeforeCritical: number | null
  coverage: number | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
  currency: string | null
  changedAt: Date
}

/** A row of `findings`: the result of one rule in a check. A label set has rows only for the labels that it found. */
export interface FindingRow {
  id: string
  analysisId: string
  versionId: string
  position: number
  isLabel: boolean
  ruleKey: string
  /** Reviews apply to later checks while this hash is unchanged. It omits name, weight and critical. */
  ruleHash: string
  machineVerdict: Verdict
  machineDecidedBy: 'rules' | 'model'
  /** The last decision of a person, or else the verdict of the machine. */
  verdict: Verdict
  decidedBy: 'rules' | 'model' | 'person'
  why: VerdictReason
  evidence: Evidence[]
  waits: ReviewReason | null
}

/**
 * A row of `reviews`: a decision or a dispute of a person about a finding. Rows are never changed.
 * A decision without a verdict undoes the one before. The previous release reads such a row as the verdict of the machine.
 */
export interface FindingReview {
  id: string
  ruleSetId: string
  ruleKey: string
  ruleHash: string
  kind: 'verdict' | 'dispute'
  machineVerdict: Verdict
  verdict: Verdict | null
  comment: string
  personId: string
  personName: string
  createdAt: Date
}
