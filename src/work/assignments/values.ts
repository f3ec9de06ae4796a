/** The limit of assigned calls that a manager has not heard. */
export const MAX_WAITING_ASSIGNMENTS = 100
