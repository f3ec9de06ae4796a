import { START_OF_LAST_RUN } from '../../reports/definitions/ends.ts'
import type { Sql } from '../../platform/db/db.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import { parseRows, type Fields } from '../bitrix24/fields.ts'
import type { RejectedRow, Row } from '../bitrix24/rows.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import { idOf, textOf } from '../bitrix24/values.ts'
import { LONGEST_STAGE_ID, outcomeOf, SEMANTICS } from './funnels.ts'
import type { Counts } from './step.ts'
import { upsert, type Target } from './upsert.ts'

export const DEAL_FIELDS = [
  'id',
  'title',
  'categoryId',
  'stageId',
  'stageSemanticId',
  'opportunity',
  'currencyId',
  'assignedById',
  'contactId',
  'contactIds',
  'companyId',
  'createdTime',
  'updatedTime',
  'movedTime',
  'closed',
  'closedate',
]

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
  also: ['generation = $2', 'missed_at = NULL', 'gone_at = NULL', 'merged_into = NULL'],
  whenChanged: 'changed_at = CASE WHEN DIFFERS OR t.gone_at IS NOT NULL THEN now() ELSE t.changed_at END',
}

const KIND: RowKind<Deal> = { step: 'deals', id: 'id', keyOf: ({ id }) => id }

/**
 * Stores deals, and queues reading the phones of their clients.
 * @param rejected deals of the page that were already rejected
 */
export async function storeDeals(
  sql: Sql,
  rows: Row[],
  generation: number,
  rejected: RejectedRow[] = [],
): Promise<Counts> {
  const untold = rows.some(({ stageSemanticId }) => textOf(stageSemanticId, 1) === null)
  const outcomes = untold ? await outcomesOfStages(sql) : new Map<string, Outcome>()
  const parsed = parseRows(rows, (fields) => asDeal(fields, outcomes), rejected)
  return storeRows(sql, KIND, parsed, (deals) => writeDeals(sql, deals, generation))
}

/**
 * The same for deals that were read by their ids. Deals moved to a funnel of no department count as gone until a department
 * gets the funnel or they move back, because no step reads them there.
 */
export async function storeDealsById(sql: Sql, rows: Row[], generation: number): Promise<Counts> {
  const counts = await storeDeals(sql, rows, generation)
  const ids = rows.map(({ id }) => idOf(id)).filter((id) => id !== null)
  await sql.query({
    text: `UPDATE crm_deals d SET missed_at = now(), gone_at = now(), changed_at = now()
            WHERE id = ANY ($1::bigint[]) AND gone_at IS NULL AND NOT ${IN_FUNNEL_OF_DEPARTMENT}`,
    values: [ids],
  })
  return counts
}

async function writeDeals(sql: Sql, deals: Deal[], generation: number): Promise<{ new: number; changed: number }> {
  await setEnds(
    sql,
    deals.filter((deal) => deal.outcome !== 'open'),
  )
  const counts = await upsert(sql, DEALS, deals, generation)
  await noteContacts(sql, 'contact', [...new Set(deals.flatMap(({ contact_ids: ids }) => ids))])
  await noteContacts(sql, 'company', [...new Set(deals.map(({ company_id: id }) => id).filter((id) => id !== null))])
  return counts
}

/** ISO 4217 codes have three letters. */
const LONGEST_CURRENCY = 10

type Outcome = ReturnType<typeof outcomeOf>

/** What stages mean, for a portal that does not say it of its deals. */
async function outcomesOfStages(sql: Sql): Promise<Map<string, Outcome>> {
  const { rows } = await sql.query<{ key: string; outcome: Outcome }>({
    text: `SELECT funnel_id || '/' || id AS key, outcome FROM crm_stages`,
  })
  return new Map(rows.map(({ key, outcome }) => [key, outcome]))
}

type Deal = ReturnType<typeof asDeal>

function asDeal(fields: Fields, outcomes: Map<string, Outcome>) {
  const id = fields.required('id', fields.id('id'))
  const funnel = fields.required('categoryId', fields.number('categoryId'))
  const updated = fields.time('updatedTime')
  const created = fields.required('createdTime', fields.time('createdTime') ?? updated)
  const stage = fields.text('stageId', LONGEST_STAGE_ID)
  const told = fields.letter('stageSemanticId', SEMANTICS)
  const outcome = told === null ? (outcomes.get(`${funnel}/${stage}`) ?? 'open') : outcomeOf(told)
  const moved = fields.time('movedTime')
  const contact = fields.id('contactId')
  return {
    id,
    title: fields.text('title') ?? `#${id}`,
    funnel_id: funnel,
    stage_id: stage ?? '',
    outcome,
    amount: fields.amount('opportunity'),
    currency: fields.text('currencyId', LONGEST_CURRENCY),
    responsible_id: fields.id('assignedById'),
    company_id: fields.id('companyId'),
    contact_ids: [...new Set([...(contact === null ? [] : [contact]), ...fields.ids('contactIds')])],
    created_at: created,
    updated_at: updated ?? created,
    moved_at: moved,
    // A guess for new deals: their history, which is read later, has the time of closing.
    closed_at: outcome === 'open' ? null : (moved ?? updated ?? created),
    planned_close_on: fields.time('closedate')?.toISOString().slice(0, 10) ?? null,
  }
}

/**
 * Sets when closed deals ended: by their history if it has their last move. If it lags behind, a deal that was closed stays
 * closed since then, unless the history has reopened it.
 */
async function setEnds(sql: Sql, deals: Deal[]): Promise<void> {
  if (deals.length === 0) return
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

/** Phones are read again a day after the last time, when a deal changes; and weekly (contacts.ts). */
async function noteContacts(sql: Sql, kind: 'contact' | 'company', ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql.query({
    text: `INSERT INTO crm_contacts AS c (kind, id) SELECT $1, unnest($2::bigint[])
           ON CONFLICT (kind, id) DO UPDATE SET due_at = now()
           WHERE c.due_at > now() AND c.read_at < now() - interval '1 day'`,
    values: [kind, ids],
  })
}
