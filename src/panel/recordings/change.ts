import { isUuid } from '../../platform/lib/ids.ts'
import {
  CHANGE_OUTCOMES,
  type BulkAction,
  type ChangeOutcome,
  type ChangeOutcomeCounts,
} from '../../work/bulk-actions/values.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

export const MAX_CONCURRENT_CALL_CHANGES = 8

/**
 * Applies an action to one call. @param managerName the new manager of the action `manager`; null removes the manager @throws
 * ApiError for unexpected statuses
 */
export async function applyBulkActionToCall(
  { api }: PageContext,
  action: BulkAction,
  id: string,
  managerName: string | null,
): Promise<ChangeOutcome> {
  if (!isUuid(id)) return 'absent'
  const path = `/v1/recordings/${id}`
  try {
    if (action === 'delete') await api.send('DELETE', path)
    else if (action === 'manager') await api.send('PATCH', path, { managerName })
    else if (action === 'recheck') await api.send('POST', `${path}/analysis/rerun`)
    else await api.send('POST', `${path}/${action}`)
    return 'done'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404) return 'absent'
    if (error.status === 409) return 'refused'
    if (error.status === 400 && action === 'manager') return 'denied'
    throw error
  }
}

/** Formats one sentence per outcome that occurred. */
export function formatChangeOutcomes(
  action: BulkAction,
  counts: ChangeOutcomeCounts,
  { words, format }: Language,
): string[] {
  const { bulk } = words.recordings
  const denied = action === 'manager' ? bulk.managerDenied : bulk.denied
  const texts = { done: bulk[action], refused: bulk.refused, denied, absent: bulk.absent, failed: bulk.failed }
  return CHANGE_OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) =>
    texts[outcome](counts[outcome], format.number(counts[outcome])),
  )
}
