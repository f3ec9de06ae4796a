import type { Sql } from '../../platform/db/sql.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import type { ClientKind } from '../bitrix24/people.ts'
import { asDeal, lackOutcomes, type Deal, type Outcome } from '../bitrix24/deals.ts'
import { parseRows } from '../bitrix24/fields.ts'
import type { RejectedRow, Row } from '../bitrix24/rows.ts'
import { idOf } from '../bitrix24/values.ts'
import { storeRows, type Counts, type RowKind, type Stored } from '../quarantine/store.ts'
import { upsert, type Target } from './upsert.ts'

const DEALS: Target = {
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

const KIND: RowKind<Deal> = { step: 'deals', id: 'id', keyOf: ({ id }) => id }

/** Stores deals, and queues reading the phones of their clients. @param rejected deals rejected before */
export async function storeDeals(sql: Sql, rows: Row[], rejected: RejectedRow[] = []): Promise<Counts> {
  const outcomes = lackOutcomes(rows) ? await outcomesOfStages(sql) : new Map<string, Outcome>()
  const parsed = parseRows(rows, (fields) => asDeal(fields, outcomes), rejected)
  return storeRows(sql, KIND, parsed, (deals) => writeDeals(sql, deals))
}

/**
 * Stores deals that were fetched by their ids. No step reads deals in funnels of no department. So they count as gone until a
 * department gets the funnel or they move back.
 */
export async function storeDealsById(sql: Sql, rows: Row[]): Promise<Counts> {
  const counts = await storeDeals(sql, rows)
  const ids = rows.map(({ id }) => idOf(id)).filter((id) => id !== null)
  await sql.query({
    text: `UPDATE crm_deals d SET missed_at = now(), gone_at = now(), changed_at = now()
            WHERE id = ANY ($1::bigint[]) AND gone_at IS NULL AND NOT ${IN_FUNNEL_OF_DEPARTMENT}`,
    values: [ids],
  })
  return counts
}

async function writeDeals(sql: Sql, deals: Deal[]): Promise<Stored> {
  const closed = deals.filter((deal) => deal.outcome !== 'open')
  if (closed.length > 0) await setEnds(sql, closed)
  const counts = await upsert(sql, DEALS, deals)
  const contactIds = deals.flatMap(({ contact_ids: ids }) => ids)
  const companyIds = deals.map(({ company_id: id }) => id).filter((id) => id !== null)
  await queueContacts(sql, 'contact', contactIds)
  await queueContacts(sql, 'company', companyIds)
  return counts
}

/** Loads the outcomes of stages by "funnel/stage". */
async function outcomesOfStages(sql: Sql): Promise<Map<string, Outcome>> {
  const { rows } = await sql.query<{ key: string; outcome: Outcome }>({
    text: `SELECT funnel_id || '/' || id AS key, outcome FROM crm_stages`,
  })
  return new Map(rows.map(({ key, outcome }) => [key, outcome]))
}

/**
 * SQL: when deal d ended, the start of its last unbroken run in closed stages. A later change of the loss reason does not move
 * it. Null if the last known stage is open, and without a history.
 */
const START_OF_LAST_RUN = `(
  SELECT min(h.moved_at) FROM crm_stage_history h
   WHERE h.deal_id = d.id AND h.outcome <> 'open' AND NOT EXISTS (
     SELECT FROM crm_stage_history o
      WHERE o.deal_id = d.id AND o.outcome = 'open' AND (o.moved_at, o.id) > (h.moved_at, h.id)))`

/**
 * Sets when closed deals ended: by their history if it has their last move. If it lags behind, a deal that was closed stays
 * closed since then, unless the history has reopened it.
 */
async function setEnds(sql: Sql, deals: Deal[]): Promise<void> {
  const { rows } = await sql.query<{ id: string; at: Date | null }>({
    text: `SELECT d.id::text, coalesce(CASE WHEN d.moved_at IS NULL OR h.moved_at >= d.moved_at THEN ${START_OF_LAST_RUN} END,
                                       CASE WHEN h.outcome = 'open' AND h.moved_at >= t.closed_at THEN NULL ELSE t.closed_at END) AS at
             FROM unnest($1::bigint[], $2::timestamptz[]) AS d (id, moved_at)
             LEFT JOIN crm_deals t ON t.id = d.id
             LEFT JOIN LATERAL (SELECT outcome, moved_at FROM crm_stage_history WHERE deal_id = d.id
                                 ORDER BY moved_at DESC, id DESC LIMIT 1) h ON true`,
    values: [deals.map(({ id }) => id), deals.map((deal) => deal.moved_at)],
  })
  const ends = new Map(rows.map(({ id, at }) => [id, at]))
  for (const deal of deals) deal.closed_at = ends.get(deal.id) ?? deal.closed_at
}

/** Sets when deals ended after their history was read. */
export async function correctEnds(sql: Sql, ids: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_deals t SET closed_at = r.at, changed_at = now()
             FROM (SELECT d.id, ${START_OF_LAST_RUN} AS at FROM unnest($1::bigint[]) AS d (id)) r
            WHERE t.id = r.id AND t.outcome <> 'open' AND t.closed_at <> r.at`,
    values: [ids],
  })
}

/** Queues reading phones when a deal changes, at most once a day. */
async function queueContacts(sql: Sql, kind: ClientKind, ids: string[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_contacts AS c (kind, id) SELECT DISTINCT $1::text, unnest($2::bigint[])
           ON CONFLICT (kind, id) DO UPDATE SET due_at = now()
           WHERE c.due_at > now() AND c.read_at < now() - interval '1 day'`,
    values: [kind, ids],
  })
}
