import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { FEWEST, rounded, ratio } from '../definitions/figures.ts'
import { findRules } from '../definitions/rules.ts'
import { makeFrame } from '../frame.ts'
import { defineReport } from '../report.ts'
import { dealsQuery, scoredByParameter } from '../schema.ts'
import { findManagerNames, loadScope, type Managers, type ReportQuery } from '../scope.ts'
import type { Findings, Pairs } from './analyse.ts'
import { findVersion, listVersions, readDeals } from './data.ts'
import { analyseAside } from './run.ts'
import { correlationExample, CorrelationSchema, type CorrelationJson } from './schema.ts'

export const correlation = defineReport({
  name: 'correlation',
  summary: 'The correlation of scores and won deals',
  description:
    'Compares won and lost deals of one manager and funnel by the mean score of the calls before the deal was closed. The ' +
    'interval comes from resampling deals that share clients or calls together. A correlation does not prove a cause. It ' +
    'compares scores of one version of one rule set: `versions` lists all versions.',
  query: { ...dealsQuery, ...scoredByParameter },
  schema: CorrelationSchema,
  example: correlationExample,
  make: reportCorrelation,
})

async function reportCorrelation(
  core: Core,
  actor: Actor,
  query: ReportQuery & { scoredBy?: string },
  signal: AbortSignal,
): Promise<CorrelationJson> {
  const scope = await loadScope(core, actor, query)
  const versionId = await findVersion(core.pool, query.scoredBy)
  const [frame, data] = await Promise.all([makeFrame(core, scope, query), readDeals(core, scope, versionId)])
  const versions = await listVersions(core.pool, data)
  const used = versions.find((version) => version.used)
  const replicates = core.config.CORRELATION_BOOTSTRAP_REPLICATES
  const found = await analyseAside({ deals: data.deals, replicates }, signal)
  const { bands, deals, a, pooled, sensitivity } = found
  const isEnough = found.verdict !== 'too-few'
  return {
    ...frame,
    verdict: found.verdict,
    a: { ...shown(a, isEnough), low: short(a.low), high: short(a.high), level: short(a.level) },
    pooled: { ...shown(pooled, isEnough), differs: isEnough && pooled.differs },
    deals: { ...deals, excluded: { ...data.excluded, ...deals.excluded } },
    managers: await managersOf(core, found, scope.managers),
    bands: bands.map(({ from, to, won, closed, low, high }) => ({
      from,
      to,
      winRate: ratio(won, closed),
      low: short(low),
      high: short(high),
    })),
    rules: await rulesOf(core, found, data.versionId),
    ruleVersion: used ? { set: used.set.key, version: used.version } : null,
    versions,
    sensitivity: {
      withoutLastCall: shown(sensitivity.withoutLastCall, isEnough && sensitivity.withoutLastCall.isEnough),
      sameTalkTime: shown(sensitivity.sameTalkTime, isEnough && sensitivity.sameTalkTime.isEnough),
    },
    bootstrap: found.bootstrap,
  }
}

const short = (value: number | null): number | null => (value === null ? null : rounded(value, 4))

/** For too few deals, only counts the pairs. */
const shown = ({ value, pairs }: Pairs, isEnough: boolean) => ({ value: isEnough ? short(value) : null, pairs })

/** Managers outside the scope can have called about its deals; they are not named. */
async function managersOf({ pool }: Core, { managers, verdict }: Findings, seen: Managers) {
  const ids = managers.map(({ manager }) => manager).filter((id) => id && (seen?.includes(id) ?? true))
  const names = await findManagerNames(pool, ids)
  return managers.map(({ manager, won, lost, ...pairs }) => ({
    managerId: names.has(manager) ? manager : null,
    manager: names.get(manager) ?? null,
    ...shown(pairs, verdict !== 'too-few' && Math.min(won, lost) >= FEWEST),
    won,
    lost,
  }))
}

async function rulesOf({ pool }: Core, { rules, verdict }: Findings, versionId: string | null) {
  if (!versionId) return []
  const find = await findRules(pool, [{ versionId }])
  return rules.map(({ rule, difference, p, q, met, unmet, notable }) => {
    const { set, rule: named } = find({ versionId, ruleKey: rule }).named
    const names = { set, rule: named }
    if (verdict === 'too-few') return { ...names, met, unmet, difference: null, p: null, q: null, notable: false }
    return { ...names, met, unmet, difference: short(difference), p: short(p), q: short(q), notable }
  })
}
