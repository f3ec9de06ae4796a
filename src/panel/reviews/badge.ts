import type { PendingReviewCountsJson } from '../../check/reviews/schema.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import type { MenuBadge, PageContext } from '../frame/page.ts'

const cache = new TtlCache<number>({ ttlMs: 15_000, maxEntries: 1000 })
/** A page waits no longer for the count. The request continues, so the next page shows the count. */
const WAIT_SECONDS = 0.1

const cacheKey = ({ person, seeAs }: PageContext): string => `${person.id} ${seeAs ?? ''}`

/** Counts the critical and disputed verdicts that wait for the person. @throws Error if the API does not respond within 0.1 s */
export async function fetchReviewBadge(context: PageContext): Promise<MenuBadge> {
  const pending = cache.getOrCompute(context.panel, cacheKey(context), async () => {
    const { waiting } = await context.api.fetch<PendingReviewCountsJson>('/v1/reviews/counts?reason=critical,disputed')
    return waiting.critical + waiting.disputed
  })
  if (!(await settlesWithin(WAIT_SECONDS, pending))) throw new Error('the number of reviews is not known yet')
  return { count: await pending }
}

/** Deletes the cached count of the person, because a review has changed it. */
export const invalidateReviewBadge = (context: PageContext): void => cache.delete(context.panel, cacheKey(context))
