import type { Sql } from '../../platform/db/sql.ts'
import { DEAL_MATCH_MARGIN_DAYS } from './choose-deals.ts'

/** Contacts and companies whose deals changed, or whose phones were read, after $1. */
const CHANGED_CLIENTS_SQL = `
  clients AS (
    SELECT 'contact' AS kind, unnest(contact_ids) AS id FROM crm_deals WHERE changed_at > $1
    UNION SELECT 'company', company_id FROM crm_deals WHERE changed_at > $1 AND company_id IS NOT NULL
    UNION SELECT kind, id FROM crm_contacts WHERE read_at > $1
       AND EXISTS (SELECT FROM crm_steps WHERE name = 'contacts' AND (last_run_at > $1 OR lease_until > now())))`

/**
 * Queues deal searches of calls whose deals or clients changed, or whose deals are missing in the portal.
 * @param since considers only changes after this time
 */
export async function queueDealSearchesAfterChanges(sql: Sql, since: Date): Promise<void> {
  await sql.query({
    text: `WITH ${CHANGED_CLIENTS_SQL},
           phones AS (SELECT DISTINCT p.phone FROM clients k JOIN crm_phones p ON p.kind = k.kind AND p.contact_id = k.id),
           calls AS (SELECT c.recording_id AS id FROM crm_calls c JOIN phones USING (phone) WHERE c.recording_id IS NOT NULL
                     UNION SELECT m.recording_id FROM crm_matches m JOIN phones USING (phone))
           UPDATE crm_matches m SET due_at = now() FROM calls
            WHERE calls.id = m.recording_id AND m.state IN ('none', 'ambiguous')`,
    values: [since],
  })
  await queueLinkedByPhone(sql, since)
  await sql.query({
    text: `UPDATE crm_matches m SET due_at = now() FROM crm_deals d
            WHERE d.changed_at > $1 AND d.gone_at IS NULL AND m.awaited_deals @> ARRAY[d.id] AND m.state <> 'manual'`,
    values: [since],
  })
  await sql.query({ text: REQUEUE_MISSING_DEALS_SQL })
}

/** Queues calls that are linked by phone only if their deal changed, or another deal of the client is near the call in time. */
async function queueLinkedByPhone(sql: Sql, since: Date): Promise<void> {
  await sql.query({
    text: `WITH ${CHANGED_CLIENTS_SQL},
           deals AS (SELECT k.kind, k.id AS client, d.* FROM clients k JOIN crm_deals d ON d.contact_ids @> ARRAY[k.id] WHERE k.kind = 'contact'
                     UNION ALL
                     SELECT k.kind, k.id, d.* FROM clients k JOIN crm_deals d ON d.company_id = k.id WHERE k.kind = 'company'),
           near AS (SELECT p.phone, d.id, d.created_at - interval '${DEAL_MATCH_MARGIN_DAYS} days' AS since, d.closed_at + interval '${DEAL_MATCH_MARGIN_DAYS} days' AS until
                      FROM deals d JOIN crm_phones p ON p.kind = d.kind AND p.contact_id = d.client
                     WHERE d.gone_at IS NULL AND d.merged_into IS NULL),
           calls AS (SELECT c.recording_id AS id, n.id AS deal_id, n.since, n.until
                       FROM near n JOIN crm_calls c USING (phone) WHERE c.recording_id IS NOT NULL
                     UNION SELECT m.recording_id, n.id, n.since, n.until FROM near n JOIN crm_matches m USING (phone)),
           asked AS (SELECT l.recording_id AS id FROM crm_deals d JOIN crm_call_deals l ON l.deal_id = d.id
                      WHERE d.changed_at > $1 AND l.linked_by = 'phone'
                     UNION
                     SELECT c.id FROM calls c JOIN crm_call_deals l ON l.recording_id = c.id AND l.linked_by = 'phone'
                      WHERE l.call_at BETWEEN c.since AND coalesce(c.until, 'infinity')
                        AND NOT EXISTS (SELECT FROM crm_call_deals o WHERE o.recording_id = c.id AND o.deal_id = c.deal_id))
           UPDATE crm_matches m SET due_at = now() FROM asked WHERE asked.id = m.recording_id AND m.state = 'linked'`,
    values: [since],
  })
}

/**
 * Queues deal searches of calls whose deal is missing in the portal.
 * It runs every two seconds, so it scans only missing deals, which have their own index.
 */
export const REQUEUE_MISSING_DEALS_SQL = `
  UPDATE crm_matches m SET due_at = now()
    FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
   WHERE m.recording_id = l.recording_id AND m.state = 'linked' AND l.linked_by <> 'person'
     AND d.missed_at IS NOT NULL AND (d.missed_at > m.matched_at OR d.gone_at > m.matched_at)`
