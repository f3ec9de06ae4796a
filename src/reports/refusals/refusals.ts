import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { CALLS_BY_DEAL, DEALS, dealsOf } from '../definitions/deals.ts'
import { ratio } from '../definitions/figures.ts'
import { wilson } from '../definitions/rates.ts'
import { REASON } from '../definitions/reasons.ts'
import { findRules } from '../definitions/rules.ts'
import { frameOf, readScope, type Asked, type Scope } from '../frame.ts'
import { readNames } from '../scope.ts'
import type { RefusalsJson } from './schema.ts'

/** Fewer deals of one manager do not tell them from the others. */
const LEAST_OF_MANAGER = 20

/** Why deals are lost, and where. @throws HttpError 400 */
export async function reportRefusals(core: Core, actor: Actor, asked: Asked): Promise<RefusalsJson> {
  const scope = await readScope(core, actor, asked)
  const [frame, groups, objections] = await Promise.all([
    frameOf(core, scope, asked),
    readLost(core.pool, scope),
    readObjections(core, scope),
  ])
  const lost = sumOf(groups)
  const names = await readNames(
    core.pool,
    groups.flatMap(({ managerId }) => managerId ?? []),
  )
  return {
    ...frame,
    lost,
    reasons: reasonsOf(groups, lost),
    objections,
    stages: sharesBy(groups, ({ before }) => before).map(([stage, n]) => ({ stage, share: ratio(n, lost) })),
    calls: (['0', '1', '2+'] as const).map((calls, n) => ({
      calls,
      share: ratio(sumOf(groups.filter((group) => group.calls === n)), lost),
    })),
    managers: sharesBy(groups, ({ managerId }) => managerId).map(([managerId, n]) =>
      managerOf(managerId, managerId && names.get(managerId)!, n, groups),
    ),
  }
}

/** Lost deals that are alike. */
interface Group {
  managerId: string | null
  reason: string | null
  /** The stage before. */
  before: string | null
  /** 0, 1, or 2 for more. */
  calls: number
  n: number
}

export async function readLost(sql: Sql, scope: Scope): Promise<Group[]> {
  const p = new Parameters()
  const { rows } = await sql.query<Group>({
    text: `SELECT d."managerId", ${REASON} AS reason, b.name AS before,
                  d.calls::int AS calls, sum(d.n)::int AS n
             FROM (SELECT m.id AS "managerId", d.funnel_id, d.stage_id, h.funnel_id AS before_funnel, h.stage_id AS before_stage,
                          least(2, coalesce(c.calls, 0)) AS calls, count(*) AS n
                     FROM ${DEALS} LEFT JOIN ${CALLS_BY_DEAL} c ON c.deal_id = d.id
                     LEFT JOIN LATERAL (
                       SELECT coalesce(h.funnel_id, d.funnel_id) AS funnel_id, h.stage_id FROM crm_stage_history h
                        WHERE h.deal_id = d.id AND h.outcome = 'open' AND h.moved_at <= d.closed_at
                        ORDER BY h.moved_at DESC, h.id DESC LIMIT 1) h ON true
                    WHERE d.outcome = 'lost' AND ${dealsOf(p, scope, 'closed_at')}
                    GROUP BY 1, 2, 3, 4, 5, 6) d
             LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
             LEFT JOIN crm_stages b ON b.funnel_id = d.before_funnel AND b.id = d.before_stage
            GROUP BY 1, 2, 3, 4`,
    values: p.values,
  })
  return rows
}

const sumOf = (groups: Group[]): number => groups.reduce((sum, { n }) => sum + n, 0)

/** How many have each value, the most frequent first. */
function sharesBy(groups: Group[], keyOf: (group: Group) => string | null): [key: string | null, n: number][] {
  const counts = new Map<string | null, number>()
  for (const group of groups) counts.set(keyOf(group), (counts.get(keyOf(group)) ?? 0) + group.n)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] ?? '').localeCompare(b[0] ?? ''))
}

function reasonsOf(groups: Group[], lost: number): RefusalsJson['reasons'] {
  const found = sharesBy(groups, ({ reason }) => reason)
  const all: typeof found = found.some(([reason]) => reason === null) ? found : [...found, [null, 0]]
  return all.map(([reason, n]) => ({ reason, share: ratio(n, lost) }))
}

/** What was said in the calls of lost deals: each label once a deal, of the deals with a checked call. */
async function readObjections({ pool }: Core, scope: Scope): Promise<RefusalsJson['objections']> {
  const p = new Parameters()
  const { rows } = await pool.query<{ versionId: string | null; ruleKey: string | null; deals: number }>({
    text: `WITH checked AS MATERIALIZED (
             SELECT d.id, c.said FROM ${DEALS} JOIN ${CALLS_BY_DEAL} c ON c.deal_id = d.id AND c.is_checked
              WHERE d.outcome = 'lost' AND ${dealsOf(p, scope, 'closed_at')})
           SELECT NULL::uuid AS "versionId", NULL AS "ruleKey", count(*)::int AS deals FROM checked
           UNION ALL
           SELECT (array_agg(v.id ORDER BY v.number DESC))[1], said.key, count(DISTINCT said.deal)::int
             FROM (SELECT c.id AS deal, left(label, 36)::uuid AS version, substr(label, 38) AS key
                     FROM checked c, unnest(c.said) label) said
             JOIN rule_set_versions v ON v.id = said.version GROUP BY v.rule_set_id, said.key`,
    values: p.values,
  })
  const checked = rows.find(({ ruleKey }) => ruleKey === null)!.deals
  const labels = rows.filter(({ ruleKey }) => ruleKey !== null)
  const find = await findRules(pool, [...new Set(labels.map(({ versionId }) => versionId!))])
  return labels
    .map(({ versionId, ruleKey, deals }) => ({ ...find(versionId!, ruleKey!).named, deals }))
    .sort((a, b) => b.deals - a.deals || a.position - b.position)
    .map(({ set, rule, deals }) => ({ set, rule, share: ratio(deals, checked) }))
}

function managerOf(
  managerId: string | null,
  manager: string | null,
  lost: number,
  groups: Group[],
): RefusalsJson['managers'][number] {
  const own = groups.filter((group) => group.managerId === managerId)
  const others = groups.filter((group) => group.managerId !== managerId)
  const reasons = sharesBy(groups, ({ reason }) => reason).map(([reason]) => reason)
  const flags = reasons.flatMap((reason) => {
    const of = (some: Group[]) => sumOf(some.filter((group) => group.reason === reason))
    const sides = { reason, share: ratio(of(own), lost), others: ratio(of(others), sumOf(others)) }
    return lost >= LEAST_OF_MANAGER && areApart(sides.share, sides.others) ? [sides] : []
  })
  return {
    managerId,
    manager,
    lost,
    noReason: ratio(sumOf(own.filter(({ reason }) => reason === null)), lost),
    flags,
  }
}

interface Counted {
  numerator: number
  denominator: number
}

/** Whether the intervals of two shares do not touch. */
function areApart(a: Counted, b: Counted): boolean {
  const [first, second] = [a, b].map(({ numerator, denominator }) => wilson(numerator, denominator))
  return Boolean(first && second && (first.low > second.high || first.high < second.low))
}
