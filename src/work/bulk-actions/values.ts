export const BULK_ACTIONS = ['retry', 'cancel', 'delete', 'manager', 'recheck'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/**
 * refused: the state of the call forbids the change. denied: the person cannot make this change, such as assign this manager.
 * absent: the call is deleted or not visible. failed: an error of the service.
 */
export const CHANGE_OUTCOMES = ['done', 'refused', 'denied', 'absent', 'failed'] as const
export type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number]

/** Number of calls per outcome. */
export type ChangeOutcomeCounts = Record<ChangeOutcome, number>

export const EMPTY_OUTCOME_COUNTS: ChangeOutcomeCounts = { done: 0, refused: 0, denied: 0, absent: 0, failed: 0 }

export const MAX_BULK_ACTION_CALLS = 10_000

/** A link of the panel to the unchanged calls can contain this many ids. */
export const MAX_UNCHANGED_IDS = 100

/** The limit of bulk actions of a person that run at the same time. */
export const MAX_RUNNING_BULK_ACTIONS = 10
