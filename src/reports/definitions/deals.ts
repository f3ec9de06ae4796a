import type { Core } from '../../platform/core.ts'
import { IS_IN_DEPARTMENT_FUNNEL_SQL } from '../../people/departments/funnels.ts'
import { toConditions, type SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { periodCondition, managerCondition, type ReportScope } from '../scope.ts'

/** If a larger share of a cohort's deals is open, its win rate will still change. */
export const IMMATURE_COHORT_OPEN_SHARE = 0.2

/** Excludes deals that the portal no longer has, and deals in funnels of no department. */
export const IS_COUNTED_DEAL_SQL = `d.gone_at IS NULL AND ${IS_IN_DEPARTMENT_FUNNEL_SQL}`

/** Joins deals d with their responsible manager m, who can be missing. */
export const DEALS_FROM_SQL = 'crm_deals d LEFT JOIN managers m ON m.crm_user_id = d.responsible_id'

/**
 * Builds a condition on deals closed or created in the period of the scope. A deal is closed at the start of its last run in
 * closed stages (crm/steps/store-deals.ts).
 * Deals that the portal no longer has, including merged ones, are excluded.
 */
export const dealScopeCondition = (p: SqlParameters, scope: ReportScope, by: 'closed_at' | 'created_at'): string =>
  `${periodCondition(p, scope.period, `d.${by}`)} AND ${countedDealCondition(p, scope)}`

/** Builds a condition on deals d that are open now and belong to the managers and funnel of the scope. It ignores the period. */
export const openDealScopeCondition = (p: SqlParameters, scope: ReportScope): string =>
  `d.outcome = 'open' AND ${countedDealCondition(p, scope)}`

function countedDealCondition(p: SqlParameters, { managers, funnel }: ReportScope): string {
  return `${IS_COUNTED_DEAL_SQL} AND ${p.and([...managerCondition(managers, 'm.id'), ...toConditions(['d.funnel_id = ?', funnel])])}`
}

/** An ambiguous link can belong to another deal, so it does not count. */
const UNAMBIGUOUS_LINKS_SQL = 'l.deal_id = d.id AND NOT l.ambiguous'
/** Matches links of calls that began before the deal was closed, because later calls cannot have influenced the outcome. */
export const CALLS_BEFORE_CLOSE_SQL = `${UNAMBIGUOUS_LINKS_SQL} AND l.call_at < coalesce(d.closed_at, 'infinity')`

/**
 * Aggregates the calls before closing by deal: their number, whether one has a score (is_checked), and the labels found in scored
 * calls (said).
 * Stored rows serve unchanged deals. Changed deals are computed here, so the result is always exact.
 */
export const CALLS_BY_DEAL_SQL = `(
  WITH changed AS MATERIALIZED (
    SELECT deals_of_changes(array_agg(c.deal_id), array_agg(c.recording_id)) AS deal_id FROM crm_deal_call_changes c)
  SELECT k.deal_id, k.calls, k.is_checked, k.said FROM crm_deal_calls k
   WHERE k.deal_id NOT IN (SELECT changed.deal_id FROM changed WHERE changed.deal_id IS NOT NULL)
   UNION ALL
  SELECT w.deal_id, w.calls, w.is_checked, w.said FROM calls_of_deals(ARRAY(SELECT changed.deal_id FROM changed)) w)`

/** Selects the name of the last open stage of a closed deal d; null if the history does not have it. */
export const STAGE_BEFORE_CLOSE_SQL = `(SELECT b.name FROM (
    SELECT coalesce(h.funnel_id, d.funnel_id) AS funnel_id, h.stage_id FROM crm_stage_history h
     WHERE h.deal_id = d.id AND h.outcome = 'open' AND h.moved_at <= d.closed_at
     ORDER BY h.moved_at DESC, h.id DESC LIMIT 1) h
  JOIN crm_stages b ON b.funnel_id = h.funnel_id AND b.id = h.stage_id)`

const CHANGES_PER_BATCH = 10_000

/** Updates the stored aggregates of changed deals, so that reports compute only the newest changes. The schedule runs it. */
export async function aggregateDealCalls({ pool }: Core): Promise<void> {
  for (let taken = CHANGES_PER_BATCH; taken === CHANGES_PER_BATCH;) {
    const text = 'SELECT add_up_deal_calls($1) AS taken'
    const { rows } = await pool.query<{ taken: number }>({ text, values: [CHANGES_PER_BATCH] })
    taken = rows[0]!.taken
  }
}

/** A lost stage gives no loss reason if its name has only words with these stems and SHORT_WORDS. */
const ENGLISH_STEMS = 'deal los fail clos unsuccess refus reject declin client customer analy reason unknown'
const RUSSIAN_STEMS =
  'сделк лид провал проигр отказ закрыт реализован нереализован успеш неуспе неудач потер заверш клиент анализ причин указан неизвестн'
const SHORT_WORDS = 'not no won by the and of none given не нет и без'

const toAlternation = (words: string) => `(${words.replaceAll(' ', '|')})`
const NO_REASON_WORD = `(${toAlternation(`${ENGLISH_STEMS} ${RUSSIAN_STEMS}`)}[[:alpha:]]*|${toAlternation(SHORT_WORDS)})`
/** The pattern has no question mark, because our query builder would replace it as a placeholder. */
const NO_REASON_PATTERN = `^[^[:alpha:]]*(${NO_REASON_WORD}([^[:alpha:]]+|$))*$`

/** Selects the name of the lost stage s as the loss reason. Null if the name is the id or only says that the deal was lost. */
export const LOSS_REASON_SQL = `CASE WHEN s.name <> s.id AND s.name !~* '${NO_REASON_PATTERN}' THEN s.name END`

/** An open deal is silent after this many days without a call about it or with its client. */
const SILENT_DAYS = 14
const SILENT_SINCE_SQL = `now() - interval '${SILENT_DAYS} days'`

/** Selects the clients k of deal d: its contacts and its company. */
const CLIENTS_SQL = `(SELECT 'contact' AS kind, unnest(d.contact_ids) AS id UNION ALL SELECT 'company', d.company_id) k`
/**
 * A call with unambiguous deals counts only for those deals. Any other call, recorded or not, counts for each deal of the client.
 */
const NO_DEAL_SQL =
  'NOT EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND NOT l.ambiguous)'
/** Selects CRM calls c with a phone number of the client, and calls that the portal assigns to the client. */
const CLIENT_CALLS_SQL = [
  'JOIN crm_phones p ON p.kind = k.kind AND p.contact_id = k.id JOIN crm_calls c ON c.phone = p.phone',
  'JOIN crm_calls c ON c.entity_id = k.id AND c.entity_type = upper(k.kind)',
].map((calls) => `FROM ${CLIENTS_SQL} ${calls} WHERE ${NO_DEAL_SQL}`)

/** These subqueries find recent calls of deal d, cheapest first. */
const RECENT_CALLS_SQL = [
  `SELECT FROM crm_call_deals l WHERE ${UNAMBIGUOUS_LINKS_SQL} AND l.call_at >= ${SILENT_SINCE_SQL}`,
  ...CLIENT_CALLS_SQL.map((calls) => `SELECT ${calls} AND c.started_at >= ${SILENT_SINCE_SQL}`),
]

/**
 * True if deal d is older than 14 days and had no call about it or with its client in the last 14 days.
 * CASE fixes the order of the look-ups: as anti-joins, they scanned all deals and links and took 100 times as long.
 */
export const IS_SILENT_DEAL_SQL = `(d.created_at < ${SILENT_SINCE_SQL}
  AND CASE ${RECENT_CALLS_SQL.map((calls) => `WHEN EXISTS (${calls}) THEN false`).join(' ')} ELSE true END)`

/** Computes the time of the last call about open deal d or with its client; null without a call. */
export const LAST_DEAL_CALL_AT_SQL = `greatest(
  (SELECT max(l.call_at) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}),
  ${CLIENT_CALLS_SQL.map((calls) => `(SELECT max(c.started_at) ${calls})`).join(',\n  ')})`
