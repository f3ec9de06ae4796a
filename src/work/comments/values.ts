/** The limit of comments on a call. */
export const MAX_CALL_COMMENTS = 500
