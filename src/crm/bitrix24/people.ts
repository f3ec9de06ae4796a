import type { Core } from '../../platform/core.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { callPortal, type Asking } from './client.ts'
import { parseRows, type Fields, type ParsedRows } from './fields.ts'
import type { Columns, PortalList } from './lists.ts'
import { rowsOf } from './rows.ts'
import { idOf } from './values.ts'

const BY_ID = { sort: 'ID', order: 'ASC' }

/** Without a filter by ACTIVE: dismissed users are the managers of earlier calls. */
export const USERS: PortalList = { method: 'user.get', params: BY_ID, parse: asUser }

export const DEPARTMENTS: PortalList = { method: 'department.get', params: BY_ID, parse: asDepartment }

/** Fetches users by their ids; the portal leaves out those that the webhook cannot see. @throws PortalError */
export async function fetchUsers(core: Core, asking: Asking, ids: string[]): Promise<ParsedRows<Columns>> {
  const { result } = await callPortal(core, asking, 'user.get', { FILTER: { ID: ids } })
  return parseRows(
    rowsOf(result).filter(({ ID }) => ids.includes(idOf(ID) ?? '')),
    asUser,
  )
}

function asUser(fields: Fields): Columns {
  const id = fields.required('ID', fields.id('ID'))
  const name = cleanName([fields.text('NAME'), fields.text('LAST_NAME')].filter(Boolean).join(' ')) || `User ${id}`
  return {
    id,
    name: name.slice(0, 200).toWellFormed(),
    position: fields.text('WORK_POSITION'),
    active: fields.flag('ACTIVE'),
    department_ids: fields.ids('UF_DEPARTMENT'),
  }
}

function asDepartment(fields: Fields): Columns {
  const id = fields.required('ID', fields.id('ID'))
  return {
    id,
    name: fields.text('NAME') ?? `Department ${id}`,
    parent_id: fields.id('PARENT'),
    sort: fields.sort('SORT'),
    head_user_id: fields.id('UF_HEAD'),
  }
}
