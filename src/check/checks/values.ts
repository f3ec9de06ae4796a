/** The possible verdicts on a rule. An undetermined verdict is `unknown`. */
export const VERDICTS = ['met', 'missed', 'not_applicable', 'unknown'] as const

/** Reasons why a finding waits for a review, most urgent first. */
export const REVIEW_REASONS = ['critical', 'unknown', 'disputed', 'random'] as const
export type ReviewReason = (typeof REVIEW_REASONS)[number]
