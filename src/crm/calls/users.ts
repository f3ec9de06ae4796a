import type { Core } from '../../app/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { callPortal, type Asking } from '../bitrix24/client.ts'
import { PortalError } from '../bitrix24/errors.ts'
import { rowsOf } from '../bitrix24/rows.ts'
import { storeUsers } from '../steps/people.ts'
import { idOf } from '../bitrix24/values.ts'
import type { CallRow } from './rows.ts'

/**
 * Asks for the people of calls who are not known: those hired since people were read last, and those who are in no list.
 * Whom the portal does not give is noted as gone, so that nobody is asked for twice. A right that is missing for this
 * keeps no call from being read.
 * @throws PortalError
 */
export async function learnUsers(core: Core, asking: Asking, calls: CallRow[]): Promise<void> {
  const ids = [...new Set(calls.map(({ user_id: id }) => id).filter((id) => id !== null))]
  const { rows } = await core.pool.query<{ id: string }>({
    text: 'SELECT id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM crm_users',
    values: [ids],
  })
  const unknown = rows.map(({ id }) => id)
  if (unknown.length === 0) return
  try {
    const { result } = await callPortal(core, asking, 'user.get', { FILTER: { ID: unknown } })
    const found = rowsOf(result).filter(({ ID }) => unknown.includes(idOf(ID) ?? ''))
    await transaction(core.db, (sql) => storeUsers(sql, found, unknown))
  } catch (error) {
    const isOfMethod = error instanceof PortalError && ['denied', 'item', 'attention'].includes(error.verdict)
    if (!isOfMethod) throw error
  }
}
