import type { Sql } from '../platform/db/sql.ts'
import type { ActingPerson } from '../platform/http/actor.ts'
import type { Rule, Verdict } from './rules/types.ts'

/** A rule with its name, for texts about an event. */
export interface EventRule {
  ruleSetId: string
  key: string
  name: Rule['name']
}

interface ReviewEvent {
  recordingId: string
  reviewId: string
  person: ActingPerson
  rule: EventRule
  comment: string
}

/** A decision about a verdict, with the disputes that it answers. */
export interface DecisionEvent extends ReviewEvent {
  verdict: Verdict
  disputes: { reviewId: string; personId: string }[]
}

/** A decision that a person took back, with the disputes that wait again. */
export interface UndoEvent {
  reviewId: string
  disputeIds: string[]
}

/** A stored check that is the current one of its call. */
interface CheckEvent {
  recordingId: string
  /** Missed critical rules that no person has reviewed. */
  criticalMisses: EventRule[]
  /** True if the check is part of a recheck of a period or of a bulk action. */
  isOfMany: boolean
}

/** Callbacks of a higher module in the transactions of checks and reviews. `app/call-listeners.ts` lists all listeners. */
export interface CheckListener {
  checkStored?(sql: Sql, check: CheckEvent): Promise<void>
  verdictDisputed?(sql: Sql, dispute: ReviewEvent): Promise<void>
  verdictDecided?(sql: Sql, decision: DecisionEvent): Promise<void>
  decisionUndone?(sql: Sql, undo: UndoEvent): Promise<void>
}
