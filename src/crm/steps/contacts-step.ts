import type { Sql } from '../../platform/db/sql.ts'
import { fetchClientPhones, type ClientPhones, type DealClientKind } from '../bitrix24/users-and-clients.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import { PORTAL_PAGE_SIZE } from '../bitrix24/rows.ts'
import { storePortalRows, type CrmPageCounts, type PortalRowKind, type RowChangeCounts } from '../quarantine/store.ts'
import type { CrmStep } from './crm-step.ts'

/** Phones can change without a change of a deal, so they are read again after this time. */
const REREAD_INTERVAL_SQL = `interval '7 days'`

/**
 * Reads the phones of the contacts and companies of known deals. Each row stores when it is due, so the step needs no
 * position.
 */
export const crmContactsStep: CrmStep<never, DealClientKind> = {
  name: 'contacts',
  intervalSeconds: 600,
  after: 'deals',
  async *pages(core, { access }) {
    for (const kind of ['contact', 'company'] as const) {
      for (;;) {
        const { rows } = await core.pool.query<{ id: string }>({
          text: `SELECT id FROM crm_contacts WHERE kind = $1 AND due_at <= now() ORDER BY due_at, id LIMIT ${PORTAL_PAGE_SIZE}`,
          values: [kind],
        })
        if (rows.length === 0) break
        const ids = rows.map(({ id }) => id)
        const clients = await fetchClientPhones(core, access, kind, ids)
        yield { cursor: kind, store: (sql) => storeClients(sql, kind, ids, clients) }
      }
    }
  },
}

/** Keeps the phones of clients that the portal does not return. A right can be missing, and old calls need the phones. */
async function storeClients(
  sql: Sql,
  kind: DealClientKind,
  ids: string[],
  clients: ParsedPortalRows<ClientPhones>,
): Promise<CrmPageCounts> {
  await sql.query({
    text: `UPDATE crm_contacts SET read_at = now(), due_at = now() + ${REREAD_INTERVAL_SQL},
                  gone_at = CASE WHEN id = ANY ($3::bigint[]) THEN NULL ELSE coalesce(gone_at, now()) END
            WHERE kind = $1 AND id = ANY ($2::bigint[])`,
    values: [kind, ids, clients.values.map(({ id }) => id)],
  })
  const rowKind: PortalRowKind<ClientPhones> = { step: 'contacts', id: 'ID', keyOf: ({ id }) => `${kind}/${id}` }
  return storePortalRows(sql, rowKind, clients, (rows) => storePhones(sql, kind, rows))
}

async function storePhones(sql: Sql, kind: DealClientKind, clients: ClientPhones[]): Promise<RowChangeCounts> {
  const phones = JSON.stringify(clients.flatMap(({ id, phones: all }) => all.map((phone) => ({ id, phone }))))
  const { rowCount: removed } = await sql.query({
    text: `DELETE FROM crm_phones p WHERE kind = $1 AND contact_id = ANY ($2::bigint[])
              AND NOT EXISTS (SELECT FROM jsonb_to_recordset($3::jsonb) AS g (id bigint, phone text)
                               WHERE g.id = p.contact_id AND g.phone = p.phone)`,
    values: [kind, clients.map(({ id }) => id), phones],
  })
  const { rowCount: added } = await sql.query({
    text: `INSERT INTO crm_phones (kind, contact_id, phone)
           SELECT $1, id, phone FROM jsonb_to_recordset($2::jsonb) AS g (id bigint, phone text) ON CONFLICT DO NOTHING`,
    values: [kind, phones],
  })
  return { new: added ?? 0, changed: removed ?? 0 }
}
