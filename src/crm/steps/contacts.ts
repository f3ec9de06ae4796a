import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { normalisePhone } from '../phone.ts'
import { parseRows, type Fields, type ParsedRows } from '../bitrix24/fields.ts'
import { asObject, callPortal } from '../bitrix24/client.ts'
import { PAGE, rowsOf } from '../bitrix24/rows.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import { textOf } from '../bitrix24/values.ts'
import type { Counts, CrmStep, ReadPage, Reading } from './step.ts'
import { hasSucceeded } from './waits.ts'

/** Somebody may get another number without any deal changing. */
const READ_AGAIN = `interval '7 days'`

type Kind = 'contact' | 'company'

/** Phones of the contacts and companies of known deals; which of them are due says their row, so no cursor is kept. */
export const contactsStep: CrmStep<never, Kind> = {
  name: 'contacts',
  intervalSeconds: 600,
  waitsFor: async (core) => ((await hasSucceeded(core, 'deals')) ? null : 'deals'),
  pages: readPhones,
}

async function* readPhones(core: Core, { asking }: Reading<never, Kind>): AsyncGenerator<ReadPage<Kind>> {
  for (const kind of ['contact', 'company'] as const) {
    for (;;) {
      const ids = await dueOf(core, kind)
      if (ids.length === 0) break
      const { result } = await callPortal(core, asking, `crm.${kind}.list`, {
        filter: { ID: ids },
        select: ['ID', 'PHONE'],
        order: { ID: 'ASC' },
        start: -1,
      })
      const wanted = new Set(ids)
      const parse = (fields: Fields) => asClient(fields, wanted, core.config.CRM_PHONE_COUNTRIES)
      const parsed = parseRows(rowsOf(result), parse)
      yield { cursor: kind, store: (sql) => storeClients(sql, kind, ids, parsed), more: true }
    }
  }
}

async function dueOf(core: Core, kind: Kind): Promise<string[]> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT id FROM crm_contacts WHERE kind = $1 AND due_at <= now() ORDER BY due_at, id LIMIT ${PAGE}`,
    values: [kind],
  })
  return rows.map(({ id }) => id)
}

/** A client of deals. */
interface Client {
  id: string
  phones: string[]
}

function asClient(fields: Fields, wanted: ReadonlySet<string>, countries: readonly string[]): Client {
  const id = fields.required('ID', fields.id('ID'))
  fields.required('ID', wanted.has(id) ? id : null)
  const numbers = fields.list('PHONE', (phone) => textOf(asObject(phone).VALUE, LONGEST_PHONE))
  const phones = numbers.map((number) => normalisePhone(number, countries)).filter((phone) => phone !== null)
  return { id, phones: [...new Set(phones)] }
}

const LONGEST_PHONE = 255

/** Phones of one that the portal does not give are kept: rights may have shrunk, and old calls belong to them. */
async function storeClients(sql: Sql, kind: Kind, ids: string[], parsed: ParsedRows<Client>): Promise<Counts> {
  await sql.query({
    text: `UPDATE crm_contacts SET read_at = now(), due_at = now() + ${READ_AGAIN},
                  gone_at = CASE WHEN id = ANY ($3::bigint[]) THEN NULL ELSE coalesce(gone_at, now()) END
            WHERE kind = $1 AND id = ANY ($2::bigint[])`,
    values: [kind, ids, parsed.values.map(({ id }) => id)],
  })
  const rows: RowKind<Client> = { step: 'contacts', id: 'ID', keyOf: ({ id }) => `${kind}/${id}` }
  return storeRows(sql, rows, parsed, (clients) => writePhones(sql, kind, clients))
}

async function writePhones(sql: Sql, kind: Kind, clients: Client[]): Promise<{ new: number; changed: number }> {
  const phones = JSON.stringify(clients.flatMap(({ id, phones: all }) => all.map((phone) => ({ id, phone }))))
  const given = `jsonb_to_recordset($3::jsonb) AS g (id bigint, phone text)`
  const { rowCount: taken } = await sql.query({
    text: `DELETE FROM crm_phones p WHERE kind = $1 AND contact_id = ANY ($2::bigint[])
              AND NOT EXISTS (SELECT FROM ${given} WHERE g.id = p.contact_id AND g.phone = p.phone)`,
    values: [kind, clients.map(({ id }) => id), phones],
  })
  const { rowCount: added } = await sql.query({
    text: `INSERT INTO crm_phones (kind, contact_id, phone) SELECT $1, id, phone FROM ${given.replace('$3', '$2')}
           ON CONFLICT DO NOTHING`,
    values: [kind, phones],
  })
  return { new: added ?? 0, changed: taken ?? 0 }
}
