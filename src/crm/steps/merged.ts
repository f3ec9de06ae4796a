import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { PAGE } from '../portal/rows.ts'

/**
 * Deals whose client has another deal that the portal changed since `from`: merging changes the deal that stays and removes the
 * others. At most as many as one request takes; the weekly look at every deal finds the rest.
 */
export async function findSiblings({ pool }: Core, from: Date): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT s.id FROM crm_deals s
            WHERE s.gone_at IS NULL AND s.missed_at IS NULL AND s.id IN (
              SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.contact_ids && k.contact_ids WHERE ${CHANGED}
              UNION SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.company_id = k.company_id WHERE ${CHANGED})
            ORDER BY s.id DESC LIMIT ${PAGE}`,
    values: [from],
  })
  return rows.map(({ id }) => id)
}

/** Changed in the portal and just read; new deals have not swallowed any other one. */
const CHANGED = `k.changed_at > now() - interval '1 hour' AND k.updated_at >= $1 AND k.created_at < $1 AND o.id <> k.id`

/** Marks deals that the portal no longer returns; the nightly control decides whether they are gone. */
export async function markMissing(sql: Sql, ids: string[]): Promise<void> {
  const text =
    'UPDATE crm_deals SET missed_at = now(), changed_at = now() WHERE id = ANY($1::bigint[]) AND missed_at IS NULL'
  await sql.query({ text, values: [ids] })
}
