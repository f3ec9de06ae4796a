import type { Core } from '../../platform/core.ts'
import { IN_FUNNEL_OF_DEPARTMENT } from '../../people/departments/funnels.ts'
import { Parameters } from '../../platform/lib/where.ts'
import type { Scope } from '../frame.ts'
import { of } from '../scope.ts'

/** A cohort with a larger share of open deals will still change. */
export const IMMATURE = 0.2

/** Excludes deals that the portal no longer has, and deals in funnels of no department. */
export const DEAL_COUNTS = `d.gone_at IS NULL AND ${IN_FUNNEL_OF_DEPARTMENT}`

/** Joins deals d with their responsible manager m. */
export const DEALS = 'crm_deals d LEFT JOIN managers m ON m.crm_user_id = d.responsible_id'

/**
 * Deals of a scope that were closed, or created, in its period. A deal is closed at the start of its last run in closed stages
 * (ends.ts). Deals that the portal no longer has, including merged ones, are excluded.
 */
export function dealsOf(p: Parameters, scope: Scope, by: 'closed_at' | 'created_at'): string {
  const [since, until] = [scope.period.since, scope.period.until].map((bound) => `${p.add(bound)}::timestamptz`)
  return `${DEAL_COUNTS} AND d.${by} >= ${since} AND d.${by} < ${until} AND ${belonging(p, scope)}`
}

/** Deals of a scope that are open now. */
export const openDealsOf = (p: Parameters, scope: Scope): string =>
  `${DEAL_COUNTS} AND d.outcome = 'open' AND ${belonging(p, scope)}`

function belonging(p: Parameters, { managers, funnel }: Scope): string {
  const inFunnel = funnel === undefined ? [] : [{ sql: 'd.funnel_id = ?', values: [funnel] }]
  return p.and([...of(managers, 'm.id'), ...inFunnel])
}

/** The calls of a deal d that belong to it beyond doubt, as links l. */
export const BEYOND_DOUBT = 'l.deal_id = d.id AND NOT l.ambiguous'
/** Those that began before it ended; what comes later cannot have moved it. */
export const BEFORE_THE_END = `${BEYOND_DOUBT} AND l.call_at < coalesce(d.closed_at, 'infinity')`

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

/** So many changes are worked out in one transaction. */
const CHANGES_AT_ONCE = 10_000

/** Works out again what the calls of changed deals come to, so that reports have few of them to work out themselves. */
export async function addUpDealCalls({ pool }: Core): Promise<void> {
  for (let taken = CHANGES_AT_ONCE; taken === CHANGES_AT_ONCE;) {
    const text = 'SELECT add_up_deal_calls($1) AS taken'
    const { rows } = await pool.query<{ taken: number }>({ text, values: [CHANGES_AT_ONCE] })
    taken = rows[0]!.taken
  }
}
