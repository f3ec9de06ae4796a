import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { FEWEST, rounded, ratio } from '../definitions/figures.ts'
import { findRules } from '../definitions/rules.ts'
import { frameOf, readScope, type Asked } from '../frame.ts'
import { readNames, type Managers } from '../scope.ts'
import type { Findings, Pairs } from './analyse.ts'
import { readDeals } from './data.ts'
import { analyseAside } from './run.ts'
import type { CorrelationJson } from './schema.ts'
import { findVersion, listVersions } from './versions.ts'

/** Whether won deals had higher-scored calls. @throws HttpError 400; the signal's reason once it is aborted */
export async function reportCorrelation(
  core: Core,
  actor: Actor,
  asked: Asked & { scoredBy?: string },
  signal: AbortSignal,
): Promise<CorrelationJson> {
  const scope = await readScope(core, actor, asked)
  const versionId = await findVersion(core.pool, asked.scoredBy)
  const [frame, data] = await Promise.all([frameOf(core, scope, asked), readDeals(core, scope, versionId)])
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

/** What too few deals would say is not said: of them the pairs are counted, and no more. */
const shown = ({ value, pairs }: Pairs, isEnough: boolean) => ({ value: isEnough ? short(value) : null, pairs })

/** Whoever is not in the scope has called about its deals too, and is not named. */
async function managersOf({ pool }: Core, { managers, verdict }: Findings, seen: Managers) {
  const ids = managers.map(({ manager }) => manager).filter((id) => id && (seen?.includes(id) ?? true))
  const names = await readNames(pool, ids)
  return managers.map(({ manager, won, lost, ...pairs }) => ({
    managerId: names.has(manager) ? manager : null,
    manager: names.get(manager) ?? null,
    ...shown(pairs, verdict !== 'too-few' && Math.min(won, lost) >= FEWEST),
    won,
    lost,
  }))
}

async function rulesOf(
  { pool }: Core,
  { rules, verdict }: Findings,
  versionId: string | null,
): Promise<CorrelationJson['rules']> {
  if (!versionId) return []
  const find = await findRules(pool, [versionId])
  return rules.map(({ rule, difference, p, q, met, unmet, notable }) => {
    const { named } = find(versionId, rule)
    const names = { set: named.set, rule: named.rule }
    if (verdict === 'too-few') return { ...names, met, unmet, difference: null, p: null, q: null, notable: false }
    return { ...names, met, unmet, difference: short(difference), p: short(p), q: short(q), notable }
  })
}
