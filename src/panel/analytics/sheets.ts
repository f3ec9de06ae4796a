import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { callToHear, coachOf, isActive, isToHear, kpiRow } from './weekly.ts'

/** What each manager is handed: their own figures and calls, nobody else's. */
export const sheetsOf = ({ managers }: WeeklyJson, language: Language) =>
  managers
    .filter((row) => row.manager !== null && isActive(row))
    .map((row) => ({
      name: row.manager!,
      kpis: row.kpis.map((kpi) => kpiRow(kpi, language)),
      coach: coachOf(row, language),
      hear: row.listen.filter(isToHear).map((call) => callToHear(call, language)),
    }))
