import type { Core } from '../../platform/core.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { normalisePhone } from '../phone.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import { parseRows, type Columns, type Fields, type ParsedRows, type PortalList } from './fields.ts'
import { rowsOf } from './rows.ts'
import { idOf, textOf } from './values.ts'

const BY_ID = { sort: 'ID', order: 'ASC' }

/** Without a filter by ACTIVE: dismissed users are the managers of earlier calls. */
export const USERS: PortalList = { method: 'user.get', params: BY_ID, parse: asUser }

export const DEPARTMENTS: PortalList = { method: 'department.get', params: BY_ID, parse: asDepartment }

/** Fetches users by their ids; the portal leaves out those that the webhook cannot see. @throws PortalError */
export async function fetchUsers(core: Core, asking: Asking, ids: string[]): Promise<ParsedRows<Columns>> {
  const { result } = await callPortal(core, asking, 'user.get', { FILTER: { ID: ids } })
  const rows = rowsOf(result).filter(({ ID }) => ids.includes(idOf(ID) ?? ''))
  return parseRows(rows, asUser)
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

const LONGEST_PHONE = 255

export type ClientKind = 'contact' | 'company'

export interface Client {
  id: string
  /** E.164. */
  phones: string[]
}

/** Fetches the phones of up to 50 contacts or companies. @throws PortalError */
export async function fetchClients(core: Core, asking: Asking, kind: ClientKind, ids: string[]) {
  const params = { filter: { ID: ids }, select: ['ID', 'PHONE'], order: { ID: 'ASC' }, start: -1 }
  const { result } = await callPortal(core, asking, `crm.${kind}.list`, params)
  return parseRows(rowsOf(result), (fields) => {
    const id = fields.required('ID', fields.id('ID'))
    fields.required('ID', ids.includes(id) ? id : null)
    const numbers = fields.list('PHONE', (phone) => textOf(asObject(phone).VALUE, LONGEST_PHONE))
    const phones = numbers.map((number) => normalisePhone(number, core.config.CRM_PHONE_COUNTRIES))
    return { id, phones: [...new Set(phones.filter((phone) => phone !== null))] }
  })
}
