import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { normalisePhone } from '../phone.ts'
import { callPortal } from '../portal/client.ts'
import { PAGE, rowsOf, type Row } from '../portal/rows.ts'
import { idOf, textOf } from '../values.ts'
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
      const rows = rowsOf(result).filter(({ ID }) => ids.includes(idOf(ID) ?? ''))
      const countries = core.config.CRM_PHONE_COUNTRIES
      yield { cursor: kind, store: (sql) => storePhones(sql, kind, ids, rows, countries), more: true }
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

/** Phones of one that the portal does not give are kept: rights may have shrunk, and old calls belong to them. */
async function storePhones(
  sql: Sql,
  kind: Kind,
  ids: string[],
  rows: Row[],
  countries: readonly string[],
): Promise<Counts> {
  const found = rows.map(({ ID }) => idOf(ID)!)
  const phones = rows.flatMap((row) => phonesOf(row, countries).map((phone) => ({ id: idOf(row.ID), phone })))
  await sql.query({
    text: `UPDATE crm_contacts SET read_at = now(), due_at = now() + ${READ_AGAIN},
                  gone_at = CASE WHEN id = ANY ($3::bigint[]) THEN NULL ELSE coalesce(gone_at, now()) END
            WHERE kind = $1 AND id = ANY ($2::bigint[])`,
    values: [kind, ids, found],
  })
  const given = `jsonb_to_recordset($3::jsonb) AS g (id bigint, phone text)`
  const { rowCount: taken } = await sql.query({
    text: `DELETE FROM crm_phones p WHERE kind = $1 AND contact_id = ANY ($2::bigint[])
              AND NOT EXISTS (SELECT FROM ${given} WHERE g.id = p.contact_id AND g.phone = p.phone)`,
    values: [kind, found, JSON.stringify(phones)],
  })
  const { rowCount: added } = await sql.query({
    text: `INSERT INTO crm_phones (kind, contact_id, phone) SELECT $1, id, phone FROM ${given.replace('$3', '$2')}
           ON CONFLICT DO NOTHING`,
    values: [kind, JSON.stringify(phones)],
  })
  return { read: rows.length, new: added ?? 0, changed: taken ?? 0 }
}

const phonesOf = ({ PHONE }: Row, countries: readonly string[]): string[] => [
  ...new Set(
    rowsOf(PHONE)
      .map(({ VALUE }) => normalisePhone(textOf(VALUE) ?? '', countries))
      .filter((phone) => phone !== null),
  ),
]
