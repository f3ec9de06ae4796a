import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { PAGE } from '../bitrix24/rows.ts'

/**
 * Finds deals whose client has another deal that changed since `from`: a merge changes the deal that stays and deletes the
 * others. Returns at most as many as one request takes; the weekly full pass finds the rest.
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

/** Deals that changed in the portal and were just read. New deals are not the result of a merge. */
const CHANGED = `k.changed_at > now() - interval '1 hour' AND k.updated_at >= $1 AND k.created_at < $1 AND o.id <> k.id`

/** Marks deals that the portal no longer returns; the nightly control decides whether they are gone. */
export async function markMissing(sql: Sql, ids: string[]): Promise<void> {
  const text =
    'UPDATE crm_deals SET missed_at = now(), changed_at = now() WHERE id = ANY($1::bigint[]) AND missed_at IS NULL'
  await sql.query({ text, values: [ids] })
}
