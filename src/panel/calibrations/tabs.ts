import { formatPathWithQuery } from '../frame/fields.ts'
import type { PageContext } from '../frame/context.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'

/** Returns true if the person can decide verdicts, and so take part in calibrations. */
export const canCalibrate = ({ person, seeAs }: PageContext): boolean =>
  !seeAs && (person.role === 'owner' || (person.role === 'head' && person.rights.editRules === true))

/** Counts the calibrations that wait for the person's verdicts; 0 for a person who cannot take part. */
export async function countDueCalibrations(context: PageContext): Promise<number> {
  if (!canCalibrate(context)) return 0
  const path = formatPathWithQuery('/v1/calibrations', { waiting: 'true', pageSize: '1' })
  return (await context.api.fetch<{ total: number }>(path).catch(ignoreApiRejection))?.total ?? 0
}

/** Builds the tabs of reviews and calibrations; none for a person who cannot take part. */
export function buildReviewPageTabs(context: PageContext, current: 'reviews' | 'calibrations', due: number) {
  if (!canCalibrate(context)) return []
  const { words, format } = context.language
  const dueText = due > 0 ? ` (${format.number(due)})` : ''
  return [
    { href: '/reviews', text: words.reviews.title, current: current === 'reviews' },
    { href: '/calibrations', text: words.calibrations.title + dueText, current: current === 'calibrations' },
  ]
}
