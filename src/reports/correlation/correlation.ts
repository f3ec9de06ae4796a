import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { roundToDigits, computeRatio } from '../definitions/figures.ts'
import { MIN_SAMPLE_SIZE } from '../definitions/values.ts'
import { loadRuleFinder } from '../definitions/rules.ts'
import { loadReportFrame } from '../report-frame.ts'
import { defineReport } from '../define-report.ts'
import { dealsReportParameters, scoredByParameter } from '../schema.ts'
import { loadManagerNames, loadReportScope, type ManagerIds, type ReportQuery } from '../scope.ts'
import type { CorrelationFindings, ConcordantPairShare } from './analyse-deals.ts'
import { findScoringVersionId, listScoringVersions, loadCorrelationData } from './load-data.ts'
import { analyseScoreCorrelationInThread } from './analyse-in-thread.ts'
import { correlationReportExample, CorrelationReportSchema, type CorrelationReportJson } from './schema.ts'

export const correlationReport = defineReport({
  name: 'correlation',
  summary: 'The correlation of scores and won deals',
  description:
    'Compares won and lost deals of one manager and funnel by the mean score of the calls before the deal was ' +
    'closed. The interval comes from resampling that keeps deals with common clients or calls together. A ' +
    'correlation does not prove a cause. The report compares the scores of one version of one rule set; ' +
    '`versions` lists all versions.',
  query: { ...dealsReportParameters, ...scoredByParameter },
  schema: CorrelationReportSchema,
  example: correlationReportExample,
  make: makeCorrelationReport,
})

async function makeCorrelationReport(
  core: Core,
  actor: Actor,
  query: ReportQuery & { scoredBy?: string },
  signal: AbortSignal,
): Promise<CorrelationReportJson> {
  const scope = await loadReportScope(core, actor, query)
  const versionId = await findScoringVersionId(core.pool, query.scoredBy)
  const [frame, data] = await Promise.all([
    loadReportFrame(core, scope, query),
    loadCorrelationData(core, scope, versionId),
  ])
  const versions = await listScoringVersions(core.pool, data)
  const usedVersion = versions.find((version) => version.used)
  const replicates = core.config.CORRELATION_BOOTSTRAP_REPLICATES
  const findings = await analyseScoreCorrelationInThread({ deals: data.deals, replicates }, signal)
  const { bands, deals, a, pooled, sensitivity } = findings
  const isEnough = findings.verdict !== 'too-few'
  return {
    ...frame,
    verdict: findings.verdict,
    a: {
      ...buildPairs(a, isEnough),
      low: roundNullable(a.low),
      high: roundNullable(a.high),
      level: roundNullable(a.level),
    },
    pooled: { ...buildPairs(pooled, isEnough), differs: isEnough && pooled.differs },
    deals: { ...deals, excluded: { ...data.excluded, ...deals.excluded } },
    managers: await describeManagers(core, findings, scope.managers),
    bands: bands.map(({ from, to, won, closed, low, high }) => ({
      from,
      to,
      winRate: computeRatio(won, closed),
      low: roundNullable(low),
      high: roundNullable(high),
    })),
    rules: await describeRules(core, findings, data.versionId),
    ruleVersion: usedVersion ? { set: usedVersion.set.key, version: usedVersion.version } : null,
    versions,
    sensitivity: {
      withoutLastCall: buildPairs(sensitivity.withoutLastCall, isEnough && sensitivity.withoutLastCall.isEnough),
      sameTalkTime: buildPairs(sensitivity.sameTalkTime, isEnough && sensitivity.sameTalkTime.isEnough),
    },
    bootstrap: findings.bootstrap,
  }
}

const roundNullable = (value: number | null): number | null => (value === null ? null : roundToDigits(value, 4))

/** Replaces the value with null if there are too few deals, but keeps the number of pairs. */
const buildPairs = ({ value, pairs }: ConcordantPairShare, isEnough: boolean) => ({
  value: isEnough ? roundNullable(value) : null,
  pairs,
})

/** Managers outside the scope can have called about deals of the scope, so the report omits their names. */
async function describeManagers(
  { pool }: Core,
  { managers, verdict }: CorrelationFindings,
  visibleManagers: ManagerIds,
) {
  const ids = managers.map(({ manager }) => manager).filter((id) => id && (visibleManagers?.includes(id) ?? true))
  const names = await loadManagerNames(pool, ids)
  return managers.map(({ manager, won, lost, ...pairs }) => ({
    managerId: names.has(manager) ? manager : null,
    manager: names.get(manager) ?? null,
    ...buildPairs(pairs, verdict !== 'too-few' && Math.min(won, lost) >= MIN_SAMPLE_SIZE),
    won,
    lost,
  }))
}

async function describeRules({ pool }: Core, { rules, verdict }: CorrelationFindings, versionId: string | null) {
  if (!versionId) return []
  const find = await loadRuleFinder(pool, [{ versionId }])
  return rules.map(({ rule, difference, p, q, met, unmet, notable }) => {
    const { set, rule: named } = find({ versionId, ruleKey: rule }).named
    const names = { set, rule: named }
    if (verdict === 'too-few') return { ...names, met, unmet, difference: null, p: null, q: null, notable: false }
    return {
      ...names,
      met,
      unmet,
      difference: roundNullable(difference),
      p: roundNullable(p),
      q: roundNullable(q),
      notable,
    }
  })
}
