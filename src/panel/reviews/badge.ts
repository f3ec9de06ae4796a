import type { ReviewCountsJson } from '../../check/reviews/schema.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import type { Badge, PageContext } from '../frame/page.ts'

const cache = new TtlCache<number>({ ttlMs: 15_000, maxEntries: 1000 })
/** A page does not wait longer for the number: the next one shows it. */
const WAIT_SECONDS = 0.1

const cacheKey = ({ person, seeAs }: PageContext): string => `${person.id} ${seeAs ?? ''}`

/** How many critical and disputed verdicts wait for the person. @throws Error if the number is not known yet */
export async function readBadge(context: PageContext): Promise<Badge> {
  const pending = cache.getOrCompute(context.panel, cacheKey(context), async () => {
    const { waiting } = await context.api.fetch<ReviewCountsJson>('/v1/reviews/counts?reason=critical,disputed')
    return waiting.critical + waiting.disputed
  })
  if (!(await settlesWithin(WAIT_SECONDS, pending))) throw new Error('the number of reviews is not known yet')
  return { count: await pending }
}

/** After a decision the number is another. */
export const forgetBadge = (context: PageContext): void => cache.delete(context.panel, cacheKey(context))
