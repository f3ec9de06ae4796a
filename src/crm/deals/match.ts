import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import type { PortalAccess } from '../bitrix24/client.ts'
import { chooseDealsOfCall, type DealCandidate, type CallDealChoice } from './choose-deals.ts'
import { fetchDealsOfCallActivities } from '../bitrix24/activities.ts'

/** A call whose deals must be searched now, with the values for the search. */
export interface DealSearchCall {
  recordingId: string
  /**
   * When the search became due, as text, because a Date would lose microseconds. If the stored time differs from it later, the
   * search became due again meanwhile.
   */
  dueAt: string
  attempts: number
  startedAt: Date
  userId: string | null
  /** The phone of the recording, or else of the portal call. */
  phone: string | null
  portalPhone: string | null
  callId: string | null
  activityId: string | null
  /** The kind of client that the portal names for the call. */
  clientKind: 'contact' | 'company' | null
  clientId: string | null
}

/** The pauses after the first and second search without a result, in hours. Then no search is scheduled. */
const RETRY_AFTER_HOURS = [1, 24]

/** The start of the call of crm_matches m. */
const STARTED_AT_SQL = 'coalesce(r.call_started_at, c.started_at, r.call_at)'

/** True if a call began in the last two hours and was not searched yet. The first condition limits the scan of the index. */
const IS_LIVE_SQL = `(m.due_at > now() - interval '2 hours' AND m.attempts = 0 AND ${STARTED_AT_SQL} > now() - interval '2 hours')`

/**
 * Lists calls whose deal search is due, latest first.
 * @param kind `live` selects calls of the last two hours that were not searched yet, `backlog` all others
 */
export async function listCallsDueForDealSearch(
  core: Core,
  kind: 'live' | 'backlog',
  limit: number,
): Promise<DealSearchCall[]> {
  const { rows } = await core.pool.query<DealSearchCall>({
    text: `SELECT m.recording_id AS "recordingId", m.due_at::text AS "dueAt", m.attempts,
                  ${STARTED_AT_SQL} AS "startedAt",
                  CASE WHEN r.manager_by = 'person' THEN g.crm_user_id ELSE coalesce(c.user_id, g.crm_user_id) END AS "userId",
                  coalesce(r.phone_number, c.phone) AS phone, c.phone AS "portalPhone", c.call_id AS "callId", c.activity_id AS "activityId",
                  CASE c.entity_type WHEN 'CONTACT' THEN 'contact' WHEN 'COMPANY' THEN 'company' END AS "clientKind",
                  c.entity_id AS "clientId"
             FROM crm_matches m JOIN recordings r ON r.id = m.recording_id
                  LEFT JOIN crm_calls c ON c.recording_id = m.recording_id AND c.load_state = 'received'
                  LEFT JOIN managers g ON g.id = r.manager_id
            WHERE m.due_at <= now() AND m.state <> 'manual' AND ${kind === 'live' ? IS_LIVE_SQL : `NOT ${IS_LIVE_SQL}`}
            ORDER BY m.due_at DESC LIMIT ${limit}`,
  })
  return rows
}

interface MatchResult {
  /** `later` if the portal returned an error for this call. The search is retried after five minutes. */
  choice: CallDealChoice | 'none' | 'later'
  /** Linked deals that were not read: of other funnels, deleted, or not read yet. */
  awaited: string[]
}

/**
 * Finds the deals of calls by their activities in the portal and by the phones of their clients.
 * @returns the results by recording id
 * @throws PortalError
 */
export async function findDealsOfCalls(
  core: Core,
  access: PortalAccess,
  calls: DealSearchCall[],
): Promise<Map<string, MatchResult>> {
  const byActivity = await fetchDealsOfCallActivities(core, access, calls)
  const bindings = [...byActivity.deals.values()].flat()
  const byPhone = await listDealsOfClients(core.pool, calls)
  const { known, gone } = await classifyDeals(core.pool, bindings)
  const matchCall = ({ recordingId, startedAt, userId }: DealSearchCall): MatchResult => {
    if (byActivity.unknown.has(recordingId)) return { choice: 'later', awaited: [] }
    const boundDealIds = byActivity.deals.get(recordingId) ?? []
    const awaited = boundDealIds.filter((id) => !known.has(id))
    const isBoundElsewhere = awaited.some((id) => !gone.has(id))
    const found = {
      byActivity: boundDealIds.filter((id) => known.has(id)),
      // The link in the portal overrides the phone, even if the linked deal was not read.
      byPhone: isBoundElsewhere ? [] : (byPhone.get(recordingId) ?? []),
    }
    return { choice: chooseDealsOfCall({ startedAt, userId, ...found }) ?? 'none', awaited }
  }
  return new Map(calls.map((call) => [call.recordingId, matchCall(call)]))
}

/**
 * Builds SQL that is true if a deal of a read funnel was deleted or merged in the portal.
 * @param id SQL of the deal id
 */
export const dealGoneSql = (id: string): string => `EXISTS (
  SELECT FROM crm_deals d JOIN departments p ON d.funnel_id = ANY (p.funnels)
   WHERE d.id = ${id} AND (d.gone_at IS NOT NULL OR d.merged_into IS NOT NULL))`

/** Selects deals that were read, and deals that are gone. A call linked only to gone deals can belong to another deal. */
async function classifyDeals(sql: Sql, ids: string[]): Promise<{ known: Set<string>; gone: Set<string> }> {
  const { rows } = await sql.query<{ known: string[]; gone: string[] }>({
    text: `SELECT ARRAY(SELECT id::text FROM crm_deals WHERE id = ANY ($1::bigint[]) AND gone_at IS NULL AND merged_into IS NULL) AS known,
                  ARRAY(SELECT a.id::text FROM unnest($1::bigint[]) AS a (id) WHERE ${dealGoneSql('a.id')}) AS gone`,
    values: [ids],
  })
  return { known: new Set(rows[0]!.known), gone: new Set(rows[0]!.gone) }
}

/** Lists the deals of clients with the phone number of the call, and of the client that the portal names, by recording id. */
async function listDealsOfClients(sql: Sql, calls: DealSearchCall[]): Promise<Map<string, DealCandidate[]>> {
  const { rows } = await sql.query<DealCandidate & { recordingId: string }>({
    text: `WITH asked AS (SELECT * FROM jsonb_to_recordset($1::jsonb)
                            AS a ("recordingId" uuid, phone text, "clientKind" text, "clientId" bigint)),
           clients AS (SELECT a."recordingId", p.kind, p.contact_id AS id FROM asked a JOIN crm_phones p ON p.phone = a.phone
                       UNION SELECT "recordingId", "clientKind", "clientId" FROM asked WHERE "clientId" IS NOT NULL)
           SELECT c."recordingId", d.id, d.created_at AS "createdAt", d.closed_at AS "closedAt", d.responsible_id AS "responsibleId"
             FROM clients c JOIN crm_deals d ON d.contact_ids @> ARRAY[c.id] AND d.gone_at IS NULL AND d.merged_into IS NULL
            WHERE c.kind = 'contact'
           UNION
           SELECT c."recordingId", d.id, d.created_at, d.closed_at, d.responsible_id
             FROM clients c JOIN crm_deals d ON d.company_id = c.id AND d.gone_at IS NULL AND d.merged_into IS NULL
            WHERE c.kind = 'company'`,
    values: [JSON.stringify(calls)],
  })
  const found = new Map<string, DealCandidate[]>()
  for (const { recordingId, ...deal } of rows) found.set(recordingId, [...(found.get(recordingId) ?? []), deal])
  return found
}

/** The pause before a search is retried after an error of the portal. */
const RETRY_INTERVAL_SQL = `interval '5 minutes'`

interface StoredChoice {
  id: string
  due: string
  state: 'none' | 'ambiguous' | 'linked'
  /** Hours until the next search; null for none. */
  again: number | null
  links: { deal: string; by: string; ambiguous: boolean }[]
  awaited: string[]
  /** Changes of a client find the call by this phone; null if it is the phone of the portal call. */
  phone: string | null
}

/** Stores the deals that were found for calls. It skips calls that became due again or whose deals a person chose meanwhile. */
export async function storeDealChoices(
  sql: Sql,
  calls: DealSearchCall[],
  choices: Map<string, MatchResult>,
): Promise<void> {
  const found = calls.flatMap((call): StoredChoice[] => {
    const { recordingId: id, dueAt: due, attempts } = call
    const { choice, awaited } = choices.get(id)!
    if (choice === 'later') return []
    const known = { id, due, awaited, phone: call.phone === call.portalPhone ? null : call.phone }
    if (choice === 'none') return [{ ...known, state: 'none', again: RETRY_AFTER_HOURS[attempts] ?? null, links: [] }]
    const { dealIds, linkedBy: by, isAmbiguous: ambiguous } = choice
    const links = dealIds.map((deal) => ({ deal, by, ambiguous }))
    return [{ ...known, state: ambiguous ? 'ambiguous' : 'linked', again: null, links }]
  })
  const later = calls.filter(({ recordingId }) => choices.get(recordingId)?.choice === 'later')
  await sql.query({
    text: `UPDATE crm_matches m SET due_at = now() + ${RETRY_INTERVAL_SQL} FROM unnest($1::uuid[], $2::text[]) AS l (id, due)
            WHERE m.recording_id = l.id AND ${unchangedMatchCondition('l')}`,
    values: [later.map(({ recordingId }) => recordingId), later.map(({ dueAt }) => dueAt)],
  })
  await updateMergedDeals(sql, found)
  await sql.query({
    text: `WITH found AS (${SELECT_CHOICES_SQL}),
           written AS (
             UPDATE crm_matches m SET state = f.state, attempts = m.attempts + 1, matched_at = now(),
                    due_at = now() + make_interval(hours => f.again), phone = f.phone,
                    awaited_deals = CASE WHEN f.awaited <> '{}' THEN f.awaited END
               FROM found f WHERE m.recording_id = f.id AND ${unchangedMatchCondition('f')} RETURNING m.recording_id AS id),
           links AS (SELECT f.id, l.* FROM found f JOIN written USING (id),
                            jsonb_to_recordset(f.links) AS l (deal bigint, by text, ambiguous boolean)),
           removed AS (DELETE FROM crm_call_deals d USING written w WHERE d.recording_id = w.id AND d.linked_by <> 'person'
                          AND NOT EXISTS (SELECT FROM links l WHERE l.id = d.recording_id AND l.deal = d.deal_id))
           INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous)
           SELECT id, deal, by, ambiguous FROM links
           ON CONFLICT (recording_id, deal_id) DO UPDATE SET linked_by = excluded.linked_by, ambiguous = excluded.ambiguous
            WHERE crm_call_deals.linked_by <> 'person'`,
    values: [JSON.stringify(found)],
  })
}

const SELECT_CHOICES_SQL = `SELECT * FROM jsonb_to_recordset($1::jsonb) AS f (id uuid, due text, state text, again int, links jsonb, awaited bigint[], phone text)`

/** With the coalesce, Postgres does not scan all due rows for each page. */
const unchangedMatchCondition = (read: string) => `m.state <> 'manual' AND coalesce(m.due_at::text, '') = ${read}.due`

/**
 * Detects merged deals and moves their automatic links to the remaining deal. Links chosen by a person stay.
 * Assume that the portal no longer returns a deal, and that a call linked only to it is now linked only to another deal.
 * Then the first deal was merged. If another call contradicts this, or a call was linked to both deals before, the first deal was
 * deleted instead.
 * A merged deal is flagged as gone at once, so that reports do not count both.
 */
async function updateMergedDeals(sql: Sql, found: StoredChoice[]): Promise<void> {
  const { rows } = await sql.query<{ id: string; into: string }>({
    text: `WITH said AS (
             SELECT f.id, f.awaited, ARRAY(SELECT jsonb_array_elements(f.links) ->> 'deal')::bigint[] AS deals,
                    f.links #>> '{0,by}' = 'activity' AS bound FROM (${SELECT_CHOICES_SQL}) f),
           moved AS (
             SELECT DISTINCT l.deal_id AS id, s.deals[1] AS into
               FROM said s JOIN crm_call_deals l ON l.recording_id = s.id AND l.linked_by = 'activity'
              WHERE s.bound AND cardinality(s.deals) = 1 AND l.deal_id <> ALL (s.awaited)
                AND NOT EXISTS (SELECT FROM crm_call_deals o WHERE o.recording_id = s.id AND o.deal_id <> l.deal_id)
                AND NOT EXISTS (SELECT FROM crm_matches w WHERE w.recording_id = s.id AND s.deals[1] = ANY (w.awaited_deals)))
           UPDATE crm_deals d SET merged_into = m.into, gone_at = coalesce(d.gone_at, now()), changed_at = now() FROM moved m
            WHERE d.id = m.id AND d.id <> m.into AND d.missed_at IS NOT NULL AND d.merged_into IS NULL
              AND EXISTS (SELECT FROM crm_deals k WHERE k.id = m.into AND k.missed_at IS NULL)
              AND NOT EXISTS (SELECT FROM said s JOIN crm_call_deals l ON l.recording_id = s.id AND l.linked_by = 'activity'
                               WHERE l.deal_id = m.id AND NOT (coalesce(s.bound, false) AND m.into = ANY (s.deals)))
           RETURNING d.id, d.merged_into AS into`,
    values: [JSON.stringify(found)],
  })
  for (const { id, into } of rows) {
    await sql.query({
      text: `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous)
             SELECT recording_id, $2, linked_by, ambiguous FROM crm_call_deals WHERE deal_id = $1 AND linked_by <> 'person'
             ON CONFLICT DO NOTHING`,
      values: [id, into],
    })
    const text = `DELETE FROM crm_call_deals WHERE deal_id = $1 AND linked_by <> 'person'`
    await sql.query({ text, values: [id] })
  }
}

/** Queues the deal search of a call, unless a person chose its deals. */
export async function queueDealSearch(sql: Sql, recordingId: string): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_matches AS m (recording_id, state, due_at) SELECT id, 'waiting', now() FROM recordings WHERE id = $1
           ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.state <> 'manual'`,
    values: [recordingId],
  })
}
