import type { Sql } from '../../platform/db/sql.ts'
import type { ManagerRow } from './gather.ts'
import type { WeeklyJson } from './schema.ts'

/** The report of a week with all managers. */
export interface StoredReport {
  week: string
  state: WeeklyJson['state']
  madeAt: Date
  timezone: string
  managers: ManagerRow[]
}

export async function findWeeklyReport(sql: Sql, week: string): Promise<StoredReport | undefined> {
  const { rows } = await sql.query<StoredReport>({
    text: `SELECT week, state, made_at AS "madeAt", timezone, managers FROM weekly_reports WHERE week = $1`,
    values: [week],
  })
  return rows[0]
}

/** Lists the stored weeks of the last year, the newest first. */
export async function listWeeks(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ week: string }>({
    text: 'SELECT week FROM weekly_reports ORDER BY week DESC LIMIT 53',
  })
  return rows.map(({ week }) => week)
}
