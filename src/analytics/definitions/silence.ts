import { BEFORE_THE_END, BEYOND_DOUBT } from './deals.ts'

/** An open deal is silent if nobody has called about it for so many days. */
const SILENT_DAYS = 14
const RECENTLY = `now() - interval '${SILENT_DAYS} days'`

/** The clients k of a deal o. */
const CLIENTS = `LATERAL (SELECT 'contact' AS kind, unnest(o.contact_ids) AS id UNION ALL SELECT 'company', o.company_id) k`
/** Their calls c in the CRM: those with one of their phones, and those that the portal binds to them. */
const WITH_CLIENT = [
  'JOIN crm_phones p ON p.kind = k.kind AND p.contact_id = k.id JOIN crm_calls c ON c.phone = p.phone',
  'JOIN crm_calls c ON c.entity_id = k.id AND c.entity_type = upper(k.kind)',
].map((join) => `FROM crm_deals o CROSS JOIN ${CLIENTS} ${join}`)
/** A call that belongs to deals beyond doubt was about these alone. Any other one, recorded or not, may have been about each. */
const OF_NO_DEAL = 'NOT EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND NOT l.ambiguous)'

/** Nobody has called about deal d, or called its client, for two weeks, and the deal is older than that. */
export const IS_SILENT = [
  `d.created_at < ${RECENTLY}`,
  `NOT EXISTS (SELECT FROM crm_call_deals l WHERE ${BEYOND_DOUBT} AND l.call_at >= ${RECENTLY})`,
  ...WITH_CLIENT.map(
    (calls) => `NOT EXISTS (SELECT ${calls} WHERE o.id = d.id AND c.started_at >= ${RECENTLY} AND ${OF_NO_DEAL})`,
  ),
].join(' AND ')

/** When somebody last called about open deal d, or called its client; null for never. */
export const LAST_CALL = `greatest(
  (SELECT max(l.call_at) FROM crm_call_deals l WHERE ${BEFORE_THE_END}),
  ${WITH_CLIENT.map((calls) => `(SELECT max(c.started_at) ${calls} WHERE o.id = d.id AND ${OF_NO_DEAL})`).join(',\n  ')})`
