import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError } from '../../platform/errors.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import type { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { CALLS_BEFORE_CLOSE_SQL, DEALS_FROM_SQL, dealScopeCondition } from '../definitions/deals.ts'
import { queryRows } from '../query-rows.ts'
import type { ReportScope } from '../scope.ts'
import type { CorrelationReportJson } from './schema.ts'

interface CorrelationData {
  /** The text that parseClosedDeals() parses. */
  deals: string
  versionId: string | null
  /** The versions that scored calls of these deals, by number of calls in descending order. */
  versions: { id: string; calls: number; deals: number }[]
  excluded: { noScore: number; otherSet: number; otherVersion: number }
}

const MOST_USED_VERSION_SQL = 'SELECT version_id FROM scored GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1'

/**
 * Builds common table expressions: `closed` has the closed deals of a scope, `whole` their mean scores, `talkers` their managers
 * with the longest talk time.
 * Scores come from calls before closing that one version scored, by default the version with the most calls.
 */
const scoredDealsSql = (p: SqlParameters, scope: ReportScope, versionId: string | undefined): string => `
  closed AS (
    SELECT d.id, d.outcome = 'won' AS won, d.funnel_id, d.closed_at, d.company_id, d.contact_ids
      FROM ${DEALS_FROM_SQL} WHERE ${dealScopeCondition(p, scope, 'closed_at')}),
  scored AS (
    SELECT d.id AS deal, r.id AS call, r.call_at, coalesce(r.duration_seconds, 0) AS seconds, r.manager_id,
           a.id AS analysis, a.score::float8 AS score, a.version_id
      FROM closed d JOIN crm_call_deals l ON ${CALLS_BEFORE_CLOSE_SQL}
      JOIN recordings r ON r.id = l.recording_id
      JOIN analyses a ON a.recording_id = r.id AND a.is_current AND a.provider IS DISTINCT FROM 'mock' AND a.score IS NOT NULL),
  version AS (${versionId === undefined ? MOST_USED_VERSION_SQL : `SELECT ${p.add(versionId)}::uuid AS version_id`}),
  used AS (
    SELECT s.*, count(*) OVER (PARTITION BY s.call) > 1 AS shared FROM scored s JOIN version USING (version_id)),
  whole AS (
    SELECT deal, avg(score) AS score, sum(seconds) AS seconds, count(*) AS calls, sum(score) AS sum,
           (array_agg(score ORDER BY call_at DESC, call DESC))[1] AS last,
           coalesce(json_agg(call) FILTER (WHERE shared), '[]') AS calls_shared
      FROM used GROUP BY 1),
  talkers AS (
    SELECT DISTINCT ON (deal) deal, manager_id FROM (
      SELECT deal, manager_id, sum(seconds) AS seconds FROM used GROUP BY 1, 2) t
     ORDER BY deal, seconds DESC, manager_id)`

/**
 * Builds a subquery of the deals that the correlation report compares, with their id, score and manager_id. It omits strata with
 * only won or only lost deals.
 */
export const comparedDealsSql = (p: SqlParameters, scope: ReportScope, versionId?: string): string => `(
  WITH ${scoredDealsSql(p, scope, versionId)}
  SELECT id, score, manager_id FROM (
    SELECT d.id, w.score, t.manager_id, bool_or(d.won) OVER s AND NOT bool_and(d.won) OVER s AS mixed
      FROM closed d JOIN whole w ON w.deal = d.id JOIN talkers t ON t.deal = d.id
    WINDOW s AS (PARTITION BY t.manager_id, d.funnel_id)) d WHERE mixed)`

/** Loads closed deals with their scored calls. Postgres builds the text of the deals, so that the event loop is not blocked. */
export async function loadCorrelationData(
  { pool }: Core,
  scope: ReportScope,
  versionId?: string,
): Promise<CorrelationData> {
  const rows = await queryRows<
    Omit<CorrelationData, 'excluded'> & { closed: number; scored: number; ofSet: number; used: number }
  >(
    pool,
    (p) => `
      WITH ${scoredDealsSql(p, scope, versionId)},
      by_version AS (SELECT deal, version_id, count(*) AS calls FROM scored GROUP BY 1, 2),
      judged AS MATERIALIZED (
        SELECT u.deal, f.rule_key, count(*) FILTER (WHERE f.verdict = 'met') AS met, count(*) AS judged
          FROM used u JOIN findings f ON f.analysis_id = u.analysis
         WHERE NOT f.is_label AND f.verdict IN ('met', 'missed') GROUP BY 1, 2),
      rules AS MATERIALIZED (
        SELECT rule_key, row_number() OVER (ORDER BY rule_key) - 1 AS n FROM (SELECT DISTINCT rule_key FROM judged) k),
      told AS (
        SELECT deal, string_agg(concat_ws(' ', n, met, judged), ' ' ORDER BY n) AS rules FROM judged JOIN rules USING (rule_key)
         GROUP BY 1)
      SELECT (SELECT count(*)::int FROM closed) AS closed, (SELECT count(DISTINCT deal)::int FROM by_version) AS scored,
             (SELECT version_id FROM version) AS "versionId", count(*)::int AS used,
             (SELECT coalesce(json_agg(v), '[]') FROM (
                SELECT version_id AS id, sum(calls)::int AS calls, count(*)::int AS deals FROM by_version
                 GROUP BY 1 ORDER BY 2 DESC, 1) v) AS versions,
             (SELECT count(DISTINCT b.deal)::int FROM by_version b JOIN rule_set_versions o ON o.id = b.version_id
                JOIN rule_set_versions c ON c.rule_set_id = o.rule_set_id JOIN version ON version.version_id = c.id) AS "ofSet",
             concat_ws(E'\\n', (SELECT coalesce(json_agg(rule_key ORDER BY n), '[]') FROM rules),
               string_agg(json_build_array(
                 d.id::text, d.won, d.funnel_id::text, coalesce(t.manager_id::text, ''), w.score,
                 CASE WHEN w.calls > 1 THEN (w.sum - w.last) / (w.calls - 1) END, w.seconds, d.company_id, d.contact_ids,
                 w.calls_shared, coalesce(j.rules, ''))::text, E'\\n' ORDER BY d.id)) AS deals
        FROM closed d JOIN whole w ON w.deal = d.id JOIN talkers t ON t.deal = d.id LEFT JOIN told j ON j.deal = d.id`,
  )
  const { closed, scored, ofSet, used, ...data } = rows[0]!
  return { ...data, excluded: { noScore: closed - scored, otherSet: scored - ofSet, otherVersion: ofSet - used } }
}

/**
 * Finds the id of a published or retired version by its name, such as incoming-sales/2.
 * @returns undefined without a name
 * @throws HttpError 400 if the version does not exist
 */
export async function findScoringVersionId(sql: Sql, scoredBy: string | undefined): Promise<string | undefined> {
  if (scoredBy === undefined) return undefined
  const [set, number] = scoredBy.split('/')
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT v.id FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id WHERE s.key = $1 AND v.number = $2 AND v.state <> 'draft'`,
    values: [set, number],
  })
  if (!rows[0]) throw badRequestError([periodMessages.scoredBy().withField('scoredBy')])
  return rows[0].id
}

type ScoringVersion = CorrelationReportJson['versions'][number]

/** Lists the versions that scored calls of the deals. The compared version is included even if it scored none. */
export async function listScoringVersions(
  sql: Sql,
  { versions, versionId }: CorrelationData,
): Promise<ScoringVersion[]> {
  const known = new Map(versions.map((version) => [version.id, version]))
  const ids = [...new Set([...known.keys(), ...(versionId === null ? [] : [versionId])])]
  const { rows } = await sql.query<Pick<ScoringVersion, 'set' | 'version'> & { id: string }>({
    text: `SELECT v.id, json_build_object('key', s.key, 'name', s.name) AS set, v.number AS version
             FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE v.id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], v.id)`,
    values: [ids],
  })
  return rows.map(({ id, set, version }) => ({
    set,
    version,
    calls: known.get(id)?.calls ?? 0,
    deals: known.get(id)?.deals ?? 0,
    used: id === versionId,
  }))
}
