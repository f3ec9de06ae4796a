import type { JobColumns } from '../../platform/queue/job-columns.ts'
import type { Evidence, Verdict, Why } from '../rules/types.ts'
import type { Waits } from './values.ts'

/** A row of `analyses`: a check of a call, and its job. */
export interface Analysis extends Pick<JobColumns, 'id' | 'lastError' | 'messageJson'> {
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'SKIPPED' | 'FAILED' | 'CANCELLED'
  /** Whether the recording shows it: the last one that came to an end. */
  isCurrent: boolean
  /** When a correction of the call made it outdated; null if it is current or was requested again. */
  outdatedAt: Date | null
  /** Why it was skipped. */
  reason: string | null
  provider: string | null
  model: string | null
  transcriptHash: string | null
  /** 0–100, after what people have decided. */
  score: number | null
  /** The machine's own. */
  scoreAuto: number | null
  scoreBeforeCritical: number | null
  coverage: number | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
  currency: string | null
  changedAt: Date
}

/** A row of `findings`: what a check has found by one rule. Label sets have rows only for rules that are met. */
export interface FindingRow {
  id: string
  analysisId: string
  versionId: string
  position: number
  isLabel: boolean
  ruleKey: string
  /** Of what decides the verdict. */
  ruleHash: string
  machineVerdict: Verdict
  machineDecidedBy: 'rules' | 'model'
  /** The machine's, or the last that a person has given. */
  verdict: Verdict
  decidedBy: 'rules' | 'model' | 'person'
  why: Why
  evidence: Evidence[]
  waits: Waits | null
}

/** A row of `reviews`: a person's decision or dispute about a finding. Rows are only added. */
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
