import type { Temporal } from 'temporal-polyfill'
import type { Sql } from '../../platform/db/sql.ts'
import { formatIsoWeek } from '../../platform/lib/period.ts'
import type { ManagerIds } from '../scope.ts'
import { findWeeklyReport } from '../weekly/report.ts'
import type { WeeklyManagerRow } from '../weekly/week-figures.ts'

/** The rows of a manager in a stored weekly report. There are several if two spellings of a name became one manager later. */
interface OwnReport {
  rows: WeeklyManagerRow[]
  madeAt: Date
}

/** Finds the manager in the stored report of a week, so that managers and their heads read the same figures. */
export async function findOwnReport(
  sql: Sql,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
): Promise<OwnReport | undefined> {
  const report = await findWeeklyReport(sql, formatIsoWeek(monday))
  const rows = report?.managers.filter(({ managerId }) => managers === null || managers.includes(managerId)) ?? []
  return report && rows.length > 0 ? { rows, madeAt: report.madeAt } : undefined
}
