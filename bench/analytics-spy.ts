import type { Sql } from '../src/platform/db/sql.ts'
import { SYSTEM, type Actor } from '../src/platform/http/actor.ts'
import { Temporal } from 'temporal-polyfill'
import { readDeals } from '../src/reports/correlation/data.ts'
import { periodOf } from '../src/platform/lib/period.ts'
import { reportQuality } from '../src/reports/quality/quality.ts'
import { reportRefusals } from '../src/reports/refusals/refusals.ts'
import { reportSales } from '../src/reports/sales/sales.ts'
import { makeWeeklyReports } from '../src/reports/weekly/make.ts'
import { reportWeek } from '../src/reports/weekly/report.ts'
import type { Core } from '../src/platform/core.ts'
import { createDataSource, pool } from '../src/platform/db/db.ts'
import { describeLoad } from '../src/reports/load/service.ts'
import type { ReportCase } from './analytics-cases.ts'
import { literal } from './scale-measure.ts'

/** The product's own reports, run here so that their statements are heard. */
export interface Reports {
  /** Makes the report of the last week, as the schedule does on Monday. */
  makeWeek: () => Promise<void>
  /** The statements of a report, with their values in them. */
  statements(report: ReportCase): Promise<string[]>
  /** The closed deals of days as the thread of the correlation gets them. */
  deals(from: string, to: string): Promise<string>
  /** The first of the days up to one that hold so many closed deals. */
  firstDayOf(deals: number, to: string): Promise<string>
  close(): Promise<void>
}

type Report = (core: Core, actor: Actor, asked: object) => Promise<unknown>

const REPORTS: Record<ReportCase['name'], Report> = {
  sales: reportSales,
  quality: reportQuality,
  refusals: reportRefusals,
  'weekly-report': reportWeek,
  overview: (core, actor, asked) => describeLoad(core, actor, { interval: 'day', by: 'arrival', ...asked } as never),
}

/** Of nobody's daylight saving. */
const TIMEZONE = 'Europe/Moscow'

export async function openReports(databaseUrl: string): Promise<Reports> {
  const db = await createDataSource(databaseUrl, { poolSize: 8 }).initialize()
  let heard: string[] = []
  const real = pool(db)
  const listening: Sql = {
    query(statement) {
      heard.push(literal(statement))
      return real.query(statement)
    },
  }
  const core = { config: { APP_TIMEZONE: TIMEZONE }, db, pool: listening } as unknown as Core
  return {
    makeWeek: () => makeWeeklyReports({ ...core, pool: real }),
    async statements({ name, asked }) {
      heard = []
      await REPORTS[name](core, SYSTEM, asked)
      return heard
    },
    async deals(from, to) {
      const [first, last] = [from, to].map((day) => Temporal.PlainDate.from(day))
      return (await readDeals(core, { period: periodOf(first!, last!, TIMEZONE), managers: null })).deals
    },
    async firstDayOf(deals, to) {
      const { rows } = await real.query<{ day: string }>({
        text: `SELECT to_char(min(at), 'YYYY-MM-DD') AS day FROM (
                 SELECT closed_at + interval '1 day' AS at FROM crm_deals WHERE closed_at < $1::date + 1
                  ORDER BY closed_at DESC LIMIT $2) d`,
        values: [to, deals],
      })
      return rows[0]!.day
    },
    close: () => db.destroy(),
  }
}
