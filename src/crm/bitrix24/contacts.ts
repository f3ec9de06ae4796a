import type { Core } from '../../platform/core.ts'
import { normalisePhone } from '../phone.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import { parseRows, type ParsedRows } from './fields.ts'
import { rowsOf } from './rows.ts'
import { textOf } from './values.ts'

const LONGEST_PHONE = 255

export type ClientKind = 'contact' | 'company'

export interface Client {
  id: string
  /** E.164. */
  phones: string[]
}

/** Fetches the phones of up to 50 contacts or companies. @throws PortalError */
export async function fetchClients(
  core: Core,
  asking: Asking,
  kind: ClientKind,
  ids: string[],
): Promise<ParsedRows<Client>> {
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
