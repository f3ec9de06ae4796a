import type { ViewJson } from '../../work/views/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { fetchShownMenuViews, fetchViews } from '../frame/menu-views.ts'
import { VIEWS_PAGE_SIZE } from './view.ts'

/** Returns the views of a page of the list, or of the menu without a page. */
export async function fetchCountedViews({ api }: PageContext, page?: number): Promise<ViewJson[]> {
  if (page === undefined) return fetchShownMenuViews(api)
  return (await fetchViews(api)).slice((page - 1) * VIEWS_PAGE_SIZE, page * VIEWS_PAGE_SIZE)
}

const MAX_CONCURRENT_COUNTS = 4
/** A count that takes longer is missing. No count starts later. Together, they are shorter than the time limit of htmx. */
const COUNT_LIMIT_MS = 5000
const ALL_COUNTS_LIMIT_MS = 10_000

/** Fetches the counts of views, a few at a time. Counts that fail or take too long are missing. */
export async function fetchViewCounts(
  { api }: PageContext,
  views: readonly ViewJson[],
): Promise<{ id: string; count: number }[]> {
  const waiting = [...views]
  const counts: { id: string; count: number }[] = []
  const endsAt = performance.now() + ALL_COUNTS_LIMIT_MS
  const countWaiting = async () => {
    for (let view = waiting.shift(); view && performance.now() < endsAt; view = waiting.shift()) {
      const { id } = view
      const response = api.send<{ count: number }>('GET', `/v1/views/${id}/count`, undefined, COUNT_LIMIT_MS)
      const count = await response.then(({ body }) => body.count).catch(() => undefined)
      if (count !== undefined) counts.push({ id, count })
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_COUNTS }, countWaiting))
  return counts
}
