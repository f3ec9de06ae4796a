/** The possible verdicts on a rule. The API calls an undetermined verdict `unknown`. */
export const VERDICTS = ['met', 'missed', 'not_applicable', 'unknown'] as const

/** Reasons why a finding waits for a review, most urgent first. */
export const REVIEW_REASONS = ['critical', 'unknown', 'disputed', 'random'] as const
export type ReviewReason = (typeof REVIEW_REASONS)[number]
