import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import type { CallRow } from '../bitrix24/calls.ts'
import type { Asking } from '../bitrix24/client.ts'
import { PortalError } from '../bitrix24/errors.ts'
import { fetchUsers } from '../bitrix24/people.ts'
import { storeUsers } from '../steps/full-pass.ts'

/**
 * Fetches users of calls that are not stored yet: new ones, and those in no list. Users that the portal does not return are
 * stored as gone, so they are requested once. A missing right for this does not stop calls from being read.
 * @throws PortalError
 */
export async function fetchUnknownUsers(core: Core, asking: Asking, calls: CallRow[]): Promise<void> {
  const ids = [...new Set(calls.map(({ user_id: id }) => id).filter((id) => id !== null))]
  const { rows } = await core.pool.query<{ id: string }>({
    text: 'SELECT id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM crm_users',
    values: [ids],
  })
  const unknown = rows.map(({ id }) => id)
  if (unknown.length === 0) return
  try {
    const users = await fetchUsers(core, asking, unknown)
    await transaction(core.db, (sql) => storeUsers(sql, users, unknown))
  } catch (error) {
    const isOfMethod = error instanceof PortalError && ['denied', 'item', 'attention'].includes(error.verdict)
    if (!isOfMethod) throw error
  }
}
