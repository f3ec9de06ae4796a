import type { JobColumns } from '../../platform/queue/job-columns.ts'
import type { Evidence, Verdict, VerdictReason } from '../rules/types.ts'
import type { ReviewReason } from './values.ts'

/** A row of `analyses`: a check of a call, and its job. */
export interface Analysis extends Pick<JobColumns, 'id' | 'lastError' | 'messageJson'> {
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'SKIPPED' | 'FAILED' | 'CANCELLED'
  /** Whether the recording shows it: the last one that ended. */
  isCurrent: boolean
  /** When a correction of the call made it outdated; null if it is current or was requested again. */
  outdatedAt: Date | null
  /** Why it was skipped. */
  reason: string | null
  provider: string | null
  model: string | null
  transcriptHash: string | null
  /** 0–100, with people's decisions. */
  score: number | null
  /** The machine's score. */
  scoreAuto: number | null
  scoreBeforeCritical: number | null
  coverage: number | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
  currency: string | null
  changedAt: Date
}

/** A row of `findings`: the result of a check by one rule. Label sets have rows only for met rules. */
export interface FindingRow {
  id: string
  analysisId: string
  versionId: string
  position: number
  isLabel: boolean
  ruleKey: string
  /** The hash of the fields that decide the verdict. */
  ruleHash: string
  machineVerdict: Verdict
  machineDecidedBy: 'rules' | 'model'
  /** The machine's, or a person's last. */
  verdict: Verdict
  decidedBy: 'rules' | 'model' | 'person'
  why: VerdictReason
  evidence: Evidence[]
  waits: ReviewReason | null
}

/**
 * A row of `reviews`: a person's decision or dispute about a finding. Rows are only added: a decision without a verdict
 * takes back the one before it. The previous release reads it as the machine's verdict.
 */
export interface Review {
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
