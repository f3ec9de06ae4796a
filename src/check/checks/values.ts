/** The verdicts of a rule about a call. */
export const VERDICTS = ['met', 'missed', 'not_applicable', 'unknown'] as const

/** Why a finding needs a review, the most important first. */
export const REVIEW_REASONS = ['critical', 'unknown', 'disputed', 'random'] as const
export type ReviewReason = (typeof REVIEW_REASONS)[number]
