import type { Core } from '../../platform/core.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { normalisePhoneNumber } from '../phone.ts'
import { toPortalObject, callPortalMethod, type PortalAccess } from './client.ts'
import {
  parsePortalRows,
  type CrmColumnValues,
  type PortalRowFields,
  type ParsedPortalRows,
  type PortalList,
} from './fields.ts'
import { extractPortalRows } from './rows.ts'
import { parsePortalId, parsePortalText } from './values.ts'

const ORDER_BY_ID = { sort: 'ID', order: 'ASC' }

/** All users, without a filter by ACTIVE, because dismissed users are the managers of earlier calls. */
export const PORTAL_USER_LIST: PortalList = { method: 'user.get', params: ORDER_BY_ID, parse: parseUser }

export const PORTAL_DEPARTMENT_LIST: PortalList = {
  method: 'department.get',
  params: ORDER_BY_ID,
  parse: parseDepartment,
}

/** Fetches users by id. The portal omits users that the webhook cannot see. @throws PortalError */
export async function fetchPortalUsers(
  core: Core,
  access: PortalAccess,
  ids: string[],
): Promise<ParsedPortalRows<CrmColumnValues>> {
  const { result } = await callPortalMethod(core, access, 'user.get', { FILTER: { ID: ids } })
  const rows = extractPortalRows(result).filter(({ ID }) => ids.includes(parsePortalId(ID) ?? ''))
  return parsePortalRows(rows, parseUser)
}

function parseUser(fields: PortalRowFields): CrmColumnValues {
  const id = fields.required('ID', fields.id('ID'))
  const name =
    normalizeWhitespace([fields.text('NAME'), fields.text('LAST_NAME')].filter(Boolean).join(' ')) || `User ${id}`
  return {
    id,
    name: name.slice(0, 200).toWellFormed(),
    position: fields.text('WORK_POSITION'),
    active: fields.flag('ACTIVE'),
    department_ids: fields.ids('UF_DEPARTMENT'),
  }
}

function parseDepartment(fields: PortalRowFields): CrmColumnValues {
  const id = fields.required('ID', fields.id('ID'))
  return {
    id,
    name: fields.text('NAME') ?? `Department ${id}`,
    parent_id: fields.id('PARENT'),
    sort: fields.sort('SORT'),
    head_user_id: fields.id('UF_HEAD'),
  }
}

const MAX_PHONE_LENGTH = 255

/** The kinds of clients that a deal can belong to in the portal. */
export type DealClientKind = 'contact' | 'company'

/** The phone numbers of a contact or a company. */
export interface ClientPhones {
  id: string
  /** Numbers from normalisePhoneNumber(). */
  phones: string[]
}

/** Fetches the phone numbers of up to 50 contacts or companies. @throws PortalError */
export async function fetchClientPhones(core: Core, access: PortalAccess, kind: DealClientKind, ids: string[]) {
  const params = { filter: { ID: ids }, select: ['ID', 'PHONE'], order: { ID: 'ASC' }, start: -1 }
  const { result } = await callPortalMethod(core, access, `crm.${kind}.list`, params)
  return parsePortalRows(extractPortalRows(result), (fields) => {
    const id = fields.required('ID', fields.id('ID'))
    fields.required('ID', ids.includes(id) ? id : null)
    const numbers = fields.list('PHONE', (phone) => parsePortalText(toPortalObject(phone).VALUE, MAX_PHONE_LENGTH))
    const phones = numbers.map((number) => normalisePhoneNumber(number, core.config.CRM_PHONE_COUNTRIES))
    return { id, phones: [...new Set(phones.filter((phone) => phone !== null))] }
  })
}
