import type { Sql } from '../../platform/db/sql.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { badRequestError } from '../../platform/errors.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleDealsCondition } from '../../people/managers/visibility.ts'
import { computeEffectiveRights } from '../../people/people/present.ts'
import { requireVisibleRecording } from '../../check/checks/queries.ts'
import { dealGoneSql } from './match.ts'
import { dealMessages } from './messages.ts'
import type { CallDealJson, CallDealsJson } from './schema.ts'

type LinkedDealRow = Pick<CallDealJson, 'id' | 'title' | 'outcome' | 'linkedBy'> & {
  funnelId: string
  funnel: string
  stageId: string
  stage: string
  amount: string | null
  currency: string
  responsibleId: string | null
  responsible: string
  createdAt: Date
  closedAt: Date | null
  ambiguous: boolean
}

/** Lists the deals of a call that the actor can see. @throws HttpError 404 if the call is not visible */
export async function listCallDeals(core: Core, actor: Actor, id: string): Promise<CallDealsJson> {
  await requireVisibleRecording(core.pool, actor, id)
  const p = new SqlParameters()
  const { rows } = await core.pool.query<LinkedDealRow>({
    text: `SELECT d.id, d.title, d.funnel_id AS "funnelId", coalesce(f.name, d.funnel_id::text) AS funnel, d.stage_id AS "stageId",
                  coalesce(s.name, d.stage_id) AS stage, d.outcome, d.amount, coalesce(d.currency, '') AS currency,
                  d.responsible_id AS "responsibleId", coalesce(u.name, m.name, d.responsible_id) AS responsible,
                  d.created_at AS "createdAt", d.closed_at AS "closedAt", l.linked_by AS "linkedBy", l.ambiguous
             FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
                  LEFT JOIN crm_funnels f ON f.id = d.funnel_id
                  LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
                  LEFT JOIN crm_users u ON u.id = d.responsible_id
                  LEFT JOIN managers m ON m.crm_user_id = d.responsible_id
            WHERE l.recording_id = ${p.add(id)} AND ${p.and(visibleDealsCondition(actor))} ORDER BY d.created_at DESC, d.id DESC`,
    values: p.values,
  })
  const { CRM_WEBHOOK_URL: webhook } = core.config
  const origin = webhook ? new URL(webhook).origin : null
  const canSeeAmounts = actor.kind !== 'person' || computeEffectiveRights(actor.person).analytics
  return {
    items: rows.map((row) => toDealJson(row, origin, canSeeAmounts)),
    ambiguous: rows.some(({ ambiguous }) => ambiguous),
    reason: rows.length === 0 && (await isBoundElsewhere(core.pool, id)) ? 'deal-not-read' : null,
  }
}

/** Returns true if a call without a deal is linked in the portal to a deal that was not read. */
async function isBoundElsewhere(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `SELECT FROM crm_matches m, unnest(m.awaited_deals) AS a (id)
            WHERE m.recording_id = $1 AND m.state = 'none' AND NOT ${dealGoneSql('a.id')} LIMIT 1`,
    values: [id],
  })
  return rowCount === 1
}

function toDealJson(row: LinkedDealRow, origin: string | null, canSeeAmounts: boolean): CallDealJson {
  const { id, title, outcome, linkedBy, amount, currency, responsibleId, createdAt, closedAt } = row
  return {
    id,
    title,
    funnel: { id: Number(row.funnelId), name: row.funnel },
    stage: { id: row.stageId, name: row.stage },
    outcome,
    amount: canSeeAmounts && amount !== null ? { amount: Number(amount), currency } : null,
    responsible: responsibleId === null ? null : { userId: responsibleId, name: row.responsible },
    createdAt: createdAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    url: origin && `${origin}/crm/deal/details/${id}/`,
    linkedBy,
  }
}

/**
 * Replaces the deals of a call by the choice of a person. Deals that the person cannot see stay, unless they are ambiguous.
 * @throws HttpError 404 if the call is not visible, 400 if one of the chosen deals is not
 */
export async function replaceCallDeals(
  core: Core,
  actor: Actor,
  id: string,
  dealIds: string[],
): Promise<CallDealsJson> {
  const { id: personId } = personOf(actor)
  await runInTransaction(core.db, async (sql) => {
    await requireVisibleRecording(sql, actor, id)
    await assertDealsVisible(sql, actor, dealIds)
    await sql.query({
      text: `INSERT INTO crm_matches (recording_id, state, due_at, matched_at) VALUES ($1, 'manual', NULL, now())
             ON CONFLICT (recording_id) DO UPDATE SET state = 'manual', due_at = NULL, matched_at = now()`,
      values: [id],
    })
    const removed = await deleteLinks(sql, actor, id)
    await sql.query({
      text: `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, person_id)
             SELECT $1, unnest($2::bigint[]), 'person', $3`,
      values: [id, dealIds, personId],
    })
    const object = { type: 'recording', id: id.toLowerCase() } as const
    const details = { before: { deals: removed }, after: { deals: dealIds } }
    await recordAuditChange(sql, actor, { action: 'recording.deals', object, details })
  })
  return listCallDeals(core, actor, id)
}

/** Deletes the links of a call to deals that the actor can see, and all ambiguous links, which the choice resolves. */
async function deleteLinks(sql: Sql, actor: Actor, recordingId: string): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `DELETE FROM crm_call_deals l USING crm_deals d
            WHERE d.id = l.deal_id AND l.recording_id = ${p.add(recordingId)} AND (l.ambiguous OR ${p.and(visibleDealsCondition(actor))})
           RETURNING l.deal_id AS id`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Unknown and invisible deals get the same answer, so that it reveals nothing. @throws HttpError 400 */
async function assertDealsVisible(sql: Sql, actor: Actor, dealIds: string[]): Promise<void> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT d.id FROM crm_deals d WHERE d.id = ANY (${p.add(dealIds)}::bigint[]) AND ${p.and(visibleDealsCondition(actor))}`,
    values: p.values,
  })
  const known = new Set(rows.map(({ id }) => id))
  const unknown = dealIds.filter((dealId) => !known.has(dealId))
  if (unknown.length > 0) throw badRequestError([dealMessages.unknown({ deal: unknown[0]! }).withField('dealIds')])
}
