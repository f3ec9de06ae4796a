import { CALLS_BEFORE_CLOSE_SQL, UNAMBIGUOUS_LINKS_SQL } from './deals.ts'

/** An open deal is silent if nobody has called about it for this many days. */
const SILENT_DAYS = 14
const RECENTLY = `now() - interval '${SILENT_DAYS} days'`

/** The clients k of a deal d. */
const CLIENTS = `(SELECT 'contact' AS kind, unnest(d.contact_ids) AS id UNION ALL SELECT 'company', d.company_id) k`
/** A call with unambiguous deals counts only for them. Any other call, recorded or not, counts for each deal of the client. */
const OF_NO_DEAL = 'NOT EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND NOT l.ambiguous)'
/** CRM calls c with a client's phone, and calls that the portal binds to a client. */
const WITH_CLIENT = [
  'JOIN crm_phones p ON p.kind = k.kind AND p.contact_id = k.id JOIN crm_calls c ON c.phone = p.phone',
  'JOIN crm_calls c ON c.entity_id = k.id AND c.entity_type = upper(k.kind)',
].map((calls) => `FROM ${CLIENTS} ${calls} WHERE ${OF_NO_DEAL}`)

/** Subqueries that find recent calls of deal d, cheapest first. */
const RECENT_CALLS = [
  `SELECT FROM crm_call_deals l WHERE ${UNAMBIGUOUS_LINKS_SQL} AND l.call_at >= ${RECENTLY}`,
  ...WITH_CLIENT.map((calls) => `SELECT ${calls} AND c.started_at >= ${RECENTLY}`),
]

/**
 * Deal d is older than two weeks, and for two weeks nobody has called about it or called its client. CASE fixes the order: as
 * anti-joins, the look-ups scanned all deals and links and took 100 times as long.
 */
export const IS_SILENT = `(d.created_at < ${RECENTLY}
  AND CASE ${RECENT_CALLS.map((calls) => `WHEN EXISTS (${calls}) THEN false`).join(' ')} ELSE true END)`

/** SQL: when somebody last called about open deal d, or called its client; null without a call. */
export const LAST_CALL = `greatest(
  (SELECT max(l.call_at) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}),
  ${WITH_CLIENT.map((calls) => `(SELECT max(c.started_at) ${calls})`).join(',\n  ')})`
