/** The limit of views of which a person is the author. */
export const MAX_VIEWS = 100

/** Each subscription costs about a millisecond per batch of changed calls. */
export const MAX_SUBSCRIPTIONS = 10
