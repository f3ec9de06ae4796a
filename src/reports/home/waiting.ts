import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { listPendingReviews } from '../../check/reviews/pending-reviews.ts'
import type { PendingReviewJson } from '../../check/reviews/schema.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import { findCallsWithManagerLogin } from './manager-logins.ts'
import type { HomeSectionJson } from './schema.ts'

const MAX_ITEMS = 5
type Reason = 'critical' | 'disputed'

/**
 * Loads the critical and disputed verdicts that wait for a review by a head. Undetermined verdicts and the random sample are not
 * included.
 */
export async function loadPendingReviewsSection(core: Core, actor: Actor): Promise<HomeSectionJson<'waiting'>> {
  const [counts, { items }] = await Promise.all([
    countWaiting(core, actor),
    listPendingReviews(core, actor, { reason: ['critical', 'disputed'], page: 1, pageSize: MAX_ITEMS }),
  ])
  const withLogin = await findCallsWithManagerLogin(
    core,
    items.map(({ recording }) => recording.id),
  )
  const countReason = (reason: Reason) => counts.find((row) => row.reason === reason)?.count ?? 0
  const oldest = counts.map(({ oldestAt }) => oldestAt).sort()
  return {
    critical: countReason('critical'),
    disputed: countReason('disputed'),
    oldestAt: oldest[0] ?? null,
    items: items.map((item) => ({ ...toWaitingItem(item), managerHasLogin: withLogin.has(item.recording.id) })),
  }
}

const countWaiting = ({ pool }: Core, actor: Actor) =>
  queryRows<{ reason: Reason; count: number; oldestAt: string }>(
    pool,
    (p) => `SELECT f.waits AS reason, count(*)::int AS count, ${isoTimeSql('min(r.call_at)')} AS "oldestAt"
              FROM findings f JOIN analyses a ON a.id = f.analysis_id AND a.is_current
              JOIN recordings r ON r.id = a.recording_id
             WHERE f.waits IN ('critical', 'disputed') AND ${p.and(visibleRecordingsCondition(actor))} GROUP BY 1`,
  )

function toWaitingItem(
  review: PendingReviewJson,
): Omit<HomeSectionJson<'waiting'>['items'][number], 'managerHasLogin'> {
  const { id, reason, rule, recording, evidence, dispute, reviews, checkedAt } = review
  return {
    findingId: id,
    recordingId: recording.id,
    reason: reason as Reason,
    rule: { key: rule.key, name: rule.name, points: rule.weight, critical: rule.critical },
    managerName: recording.managerName,
    callAt: recording.callAt,
    waitingSince: reviews.findLast(({ kind }) => kind === 'dispute')?.at ?? checkedAt,
    quote: dispute ?? evidence[0]?.quote ?? null,
  }
}
