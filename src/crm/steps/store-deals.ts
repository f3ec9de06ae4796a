import type { Sql } from '../../platform/db/sql.ts'
import { IS_IN_DEPARTMENT_FUNNEL_SQL } from '../../people/departments/funnels.ts'
import type { DealClientKind } from '../bitrix24/users-and-clients.ts'
import { parsePortalDeal, hasMissingDealOutcomes, type CrmDeal, type DealOutcome } from '../bitrix24/deals.ts'
import { parsePortalRows } from '../bitrix24/fields.ts'
import type { RejectedPortalRow, PortalRow } from '../bitrix24/rows.ts'
import { parsePortalId } from '../bitrix24/values.ts'
import { storePortalRows, type CrmPageCounts, type PortalRowKind, type RowChangeCounts } from '../quarantine/store.ts'
import { upsertCrmRows, type CrmUpsertTarget } from './upsert.ts'

const DEALS_TARGET: CrmUpsertTarget = {
  table: 'crm_deals',
  key: ['id'],
  columns: {
    id: 'bigint',
    title: 'text',
    funnel_id: 'bigint',
    stage_id: 'text',
    outcome: 'text',
    amount: 'numeric',
    currency: 'text',
    responsible_id: 'text',
    company_id: 'bigint',
    contact_ids: 'bigint[]',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    moved_at: 'timestamptz',
    closed_at: 'timestamptz',
    planned_close_on: 'date',
  },
  set: (differs) => [
    'missed_at = NULL',
    'gone_at = NULL',
    'merged_into = NULL',
    `changed_at = CASE WHEN ${differs} OR t.gone_at IS NOT NULL THEN now() ELSE t.changed_at END`,
  ],
}

const DEAL_ROW_KIND: PortalRowKind<CrmDeal> = { step: 'deals', id: 'id', keyOf: ({ id }) => id }

/**
 * Stores deals and queues the phones of their clients for the step `contacts`.
 * @param rejected deals that were rejected earlier
 */
export async function storePortalDeals(
  sql: Sql,
  rows: PortalRow[],
  rejected: RejectedPortalRow[] = [],
): Promise<CrmPageCounts> {
  const outcomes = hasMissingDealOutcomes(rows) ? await loadStageOutcomes(sql) : new Map<string, DealOutcome>()
  const parsed = parsePortalRows(rows, (fields) => parsePortalDeal(fields, outcomes), rejected)
  return storePortalRows(sql, DEAL_ROW_KIND, parsed, (deals) => upsertDeals(sql, deals))
}

/** Stores deals that were fetched by id. Deals in a funnel of no department are flagged as gone, because no step reads them. */
export async function storeDealsFetchedById(sql: Sql, rows: PortalRow[]): Promise<CrmPageCounts> {
  const counts = await storePortalDeals(sql, rows)
  const ids = rows.map(({ id }) => parsePortalId(id)).filter((id) => id !== null)
  await sql.query({
    text: `UPDATE crm_deals d SET missed_at = now(), gone_at = now(), changed_at = now()
            WHERE id = ANY ($1::bigint[]) AND gone_at IS NULL AND NOT ${IS_IN_DEPARTMENT_FUNNEL_SQL}`,
    values: [ids],
  })
  return counts
}

async function upsertDeals(sql: Sql, deals: CrmDeal[]): Promise<RowChangeCounts> {
  const closed = deals.filter((deal) => deal.outcome !== 'open')
  if (closed.length > 0) await setClosingTimes(sql, closed)
  const counts = await upsertCrmRows(sql, DEALS_TARGET, deals)
  const contactIds = deals.flatMap(({ contact_ids: ids }) => ids)
  const companyIds = deals.map(({ company_id: id }) => id).filter((id) => id !== null)
  await queueContacts(sql, 'contact', contactIds)
  await queueContacts(sql, 'company', companyIds)
  return counts
}

/** Loads the outcomes by "funnel/stage". */
async function loadStageOutcomes(sql: Sql): Promise<Map<string, DealOutcome>> {
  const { rows } = await sql.query<{ key: string; outcome: DealOutcome }>({
    text: `SELECT funnel_id || '/' || id AS key, outcome FROM crm_stages`,
  })
  return new Map(rows.map(({ key, outcome }) => [key, outcome]))
}

/** The time when deal d was closed for the last time, or null. A later move to another closed stage does not count. */
const CLOSED_SINCE_SQL = `(
  SELECT min(h.moved_at) FROM crm_stage_history h
   WHERE h.deal_id = d.id AND h.outcome <> 'open' AND NOT EXISTS (
     SELECT FROM crm_stage_history o
      WHERE o.deal_id = d.id AND o.outcome = 'open' AND (o.moved_at, o.id) > (h.moved_at, h.id)))`

/**
 * Sets the closing times of deals by their stage history. If the history is incomplete, a stored time remains unless the
 * deal was reopened.
 */
async function setClosingTimes(sql: Sql, deals: CrmDeal[]): Promise<void> {
  const { rows } = await sql.query<{ id: string; at: Date | null }>({
    text: `SELECT d.id::text, coalesce(CASE WHEN d.moved_at IS NULL OR h.moved_at >= d.moved_at THEN ${CLOSED_SINCE_SQL} END,
                                       CASE WHEN h.outcome = 'open' AND h.moved_at >= t.closed_at THEN NULL ELSE t.closed_at END) AS at
             FROM unnest($1::bigint[], $2::timestamptz[]) AS d (id, moved_at)
             LEFT JOIN crm_deals t ON t.id = d.id
             LEFT JOIN LATERAL (SELECT outcome, moved_at FROM crm_stage_history WHERE deal_id = d.id
                                 ORDER BY moved_at DESC, id DESC LIMIT 1) h ON true`,
    values: [deals.map(({ id }) => id), deals.map((deal) => deal.moved_at)],
  })
  const closingTimes = new Map(rows.map(({ id, at }) => [id, at]))
  for (const deal of deals) deal.closed_at = closingTimes.get(deal.id) ?? deal.closed_at
}

/** Updates the closing times of deals after their stage history was read. */
export async function updateDealClosingTimes(sql: Sql, ids: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_deals t SET closed_at = r.at, changed_at = now()
             FROM (SELECT d.id, ${CLOSED_SINCE_SQL} AS at FROM unnest($1::bigint[]) AS d (id)) r
            WHERE t.id = r.id AND t.outcome <> 'open' AND t.closed_at <> r.at`,
    values: [ids],
  })
}

/** Queues the phones of clients: of new clients at once, of known ones if they were last read over a day ago. */
async function queueContacts(sql: Sql, kind: DealClientKind, ids: string[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_contacts AS c (kind, id) SELECT DISTINCT $1::text, unnest($2::bigint[])
           ON CONFLICT (kind, id) DO UPDATE SET due_at = now()
           WHERE c.due_at > now() AND c.read_at < now() - interval '1 day'`,
    values: [kind, ids],
  })
}
