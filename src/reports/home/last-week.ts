import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { makeWeeklyReport } from '../weekly/report.ts'
import type { WeeklyReportJson } from '../weekly/schema.ts'
import type { HomeSectionJson } from './schema.ts'

type LastWeek = HomeSectionJson<'lastWeek'>
type OutOfRange = HomeSectionJson<'outOfRange'>
type Kpi = WeeklyReportJson['kpis'][number]

/** Finds the last weekly report with the managers that the actor sees; null if there is no report yet. */
export async function findLastWeeklyReport(core: Core, actor: Actor): Promise<WeeklyReportJson | null> {
  try {
    return await makeWeeklyReport(core, actor, {})
  } catch (error) {
    if (error instanceof HttpError && error.statusCode === 404) return null
    throw error
  }
}

/** Summarizes a weekly report: its figures, and the rule that contributed most to the change of the score. */
export function summarizeLastWeek(report: WeeklyReportJson): LastWeek {
  return {
    from: report.period.from,
    to: report.period.to,
    asOf: report.state === 'not-kept' ? null : report.period.asOf,
    week: report.week,
    calls: report.coverage.calls,
    managers: report.managers.filter(({ managerId, kpis }) => managerId && findKpiByName(kpis, 'calls').figure.value)
      .length,
    kpis: report.kpis,
    cause: report.cause,
  }
}

export const findKpiByName = (kpis: Kpi[], name: Kpi['name']): Kpi => kpis.find((kpi) => kpi.name === name)!

/** These figures can flag a manager, in order of importance. */
const RANGED_KPIS = ['score', 'rulesMet', 'calls', 'winRate'] as const

/** Lists managers with a figure outside their usual range, one figure each. Figures below the range come first. */
export function listManagersOutOfRange({ managers }: WeeklyReportJson): OutOfRange {
  const active = managers.filter(({ managerId, kpis }) => managerId && findKpiByName(kpis, 'calls').figure.value)
  const items = active.flatMap(({ managerId, manager, kpis }) => {
    const flagged = RANGED_KPIS.map((name) => ({ ...findKpiByName(kpis, name), name })).filter(
      ({ flag }) => flag !== null,
    )
    const chosen = flagged.find(({ flag }) => flag === 'below') ?? flagged[0]
    if (!chosen) return []
    const { name, figure, low, high, flag } = chosen
    return [{ managerId, manager, name, value: figure.value!, low: low!, high: high!, flag: flag! }]
  })
  return {
    managers: active.length,
    items: items.sort((a, b) => Number(a.flag === 'above') - Number(b.flag === 'above')),
  }
}
