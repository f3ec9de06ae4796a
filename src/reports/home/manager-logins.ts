import { IS_CALL_MANAGER_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import { queryRows } from '../query-rows.ts'

/** Returns the ids of those calls whose manager has a login and can therefore be asked to hear the call. */
export async function findCallsWithManagerLogin({ pool }: Core, recordingIds: string[]): Promise<Set<string>> {
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) => `SELECT r.id FROM recordings r
             WHERE r.id = ANY(${p.add(recordingIds)}::uuid[])
               AND EXISTS (SELECT FROM people p WHERE p.active AND ${IS_CALL_MANAGER_SQL})`,
  )
  return new Set(rows.map(({ id }) => id))
}
