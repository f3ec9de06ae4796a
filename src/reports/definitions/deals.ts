import type { Core } from '../../platform/core.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import { where, type Parameters } from '../../platform/lib/where.ts'
import { inPeriod, managerCondition, type Scope } from '../scope.ts'

/** A cohort with a larger share of open deals will still change. */
export const IMMATURE_SHARE = 0.2

/** Excludes deals that the portal no longer has, and deals in funnels of no department. */
export const DEAL_COUNTS = `d.gone_at IS NULL AND ${IN_FUNNEL_OF_DEPARTMENT}`

/** Joins deals d with their responsible manager m. */
export const DEALS = 'crm_deals d LEFT JOIN managers m ON m.crm_user_id = d.responsible_id'

/**
 * Deals of a scope that were closed, or created, in its period. A deal is closed at the start of its last run in closed stages
 * (ends.ts). Deals that the portal no longer has, including merged ones, are excluded.
 */
export const dealsInScope = (p: Parameters, scope: Scope, by: 'closed_at' | 'created_at'): string =>
  `${inPeriod(p, scope.period, `d.${by}`)} AND ${countedDeals(p, scope)}`

/** Deals of a scope that are open now. */
export const openDealsInScope = (p: Parameters, scope: Scope): string =>
  `d.outcome = 'open' AND ${countedDeals(p, scope)}`

function countedDeals(p: Parameters, { managers, funnel }: Scope): string {
  return `${DEAL_COUNTS} AND ${p.and([...managerCondition(managers, 'm.id'), ...where(['d.funnel_id = ?', funnel])])}`
}

/** SQL: unambiguous links l of deal d to calls. */
export const UNAMBIGUOUS_LINKS_SQL = 'l.deal_id = d.id AND NOT l.ambiguous'
/** SQL: links of calls that began before the deal was closed; later calls cannot have influenced it. */
export const CALLS_BEFORE_CLOSE_SQL = `${UNAMBIGUOUS_LINKS_SQL} AND l.call_at < coalesce(d.closed_at, 'infinity')`

/**
 * Aggregates those calls by deal_id: their number (calls), whether one has a score (checked), and the labels found in scored
 * ones (said). Stored rows serve deals without later changes (see the migration); the others are computed here, so it is
 * always exact.
 */
export const CALLS_BY_DEAL = `(
  WITH changed AS MATERIALIZED (
    SELECT deals_of_changes(array_agg(c.deal_id), array_agg(c.recording_id)) AS deal_id FROM crm_deal_call_changes c)
  SELECT k.deal_id, k.calls, k.is_checked, k.said FROM crm_deal_calls k
   WHERE k.deal_id NOT IN (SELECT changed.deal_id FROM changed WHERE changed.deal_id IS NOT NULL)
   UNION ALL
  SELECT w.deal_id, w.calls, w.is_checked, w.said FROM calls_of_deals(ARRAY(SELECT changed.deal_id FROM changed)) w)`

/** The name of the stage in which a closed deal d stood before. */
export const STAGE_BEFORE = `(SELECT b.name FROM (
    SELECT coalesce(h.funnel_id, d.funnel_id) AS funnel_id, h.stage_id FROM crm_stage_history h
     WHERE h.deal_id = d.id AND h.outcome = 'open' AND h.moved_at <= d.closed_at
     ORDER BY h.moved_at DESC, h.id DESC LIMIT 1) h
  JOIN crm_stages b ON b.funnel_id = h.funnel_id AND b.id = h.stage_id)`

/** Changes per transaction. */
const CHANGES_AT_ONCE = 10_000

/** Updates the stored aggregates of changed deals, so that reports compute few of them. */
export async function addUpDealCalls({ pool }: Core): Promise<void> {
  for (let taken = CHANGES_AT_ONCE; taken === CHANGES_AT_ONCE;) {
    const text = 'SELECT add_up_deal_calls($1) AS taken'
    const { rows } = await pool.query<{ taken: number }>({ text, values: [CHANGES_AT_ONCE] })
    taken = rows[0]!.taken
  }
}
