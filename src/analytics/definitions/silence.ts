import { BEFORE_THE_END, BEYOND_DOUBT } from './deals.ts'

/** An open deal is silent if nobody has called about it for so many days. */
const SILENT_DAYS = 14
const RECENTLY = `now() - interval '${SILENT_DAYS} days'`

/** The clients k of a deal d. */
const CLIENTS = `(SELECT 'contact' AS kind, unnest(d.contact_ids) AS id UNION ALL SELECT 'company', d.company_id) k`
/** A call that belongs to deals beyond doubt was about these alone. Any other one, recorded or not, may have been about each. */
const OF_NO_DEAL = 'NOT EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND NOT l.ambiguous)'
/** Calls c of the CRM with a client's phone, and those that the portal binds to a client. */
const WITH_CLIENT = [
  'JOIN crm_phones p ON p.kind = k.kind AND p.contact_id = k.id JOIN crm_calls c ON c.phone = p.phone',
  'JOIN crm_calls c ON c.entity_id = k.id AND c.entity_type = upper(k.kind)',
].map((calls) => `FROM ${CLIENTS} ${calls} WHERE ${OF_NO_DEAL}`)

/** What breaks the silence of deal d, the cheapest question first. */
const RECENT_CALLS = [
  `SELECT FROM crm_call_deals l WHERE ${BEYOND_DOUBT} AND l.call_at >= ${RECENTLY}`,
  ...WITH_CLIENT.map((calls) => `SELECT ${calls} AND c.started_at >= ${RECENTLY}`),
]

/**
 * Nobody has called about deal d, or called its client, for two weeks, and the deal is older than that. CASE keeps the order:
 * as anti-joins the look-ups went through all deals and links, 100 times as long.
 */
export const IS_SILENT = `(d.created_at < ${RECENTLY}
  AND CASE ${RECENT_CALLS.map((calls) => `WHEN EXISTS (${calls}) THEN false`).join(' ')} ELSE true END)`

/** When somebody last called about open deal d, or called its client; null for never. */
export const LAST_CALL = `greatest(
  (SELECT max(l.call_at) FROM crm_call_deals l WHERE ${BEFORE_THE_END}),
  ${WITH_CLIENT.map((calls) => `(SELECT max(c.started_at) ${calls})`).join(',\n  ')})`
