import type { Context } from 'koa'
import { formatCsvLines, type CsvCell } from '../platform/lib/csv.ts'
import type { ReportFrame } from './schema.ts'

type ReportValue = string | number | boolean | null | ReportValue[] | { [name: string]: ReportValue }

/**
 * Sends all figures of a report as a CSV file. Each row has section, entry, figure and value; shares also have numerator and
 * denominator.
 * @param spreadsheet true to keep spreadsheets from converting texts to numbers or dates
 */
export function sendReportCsv(
  ctx: Context,
  name: string,
  report: object & Pick<ReportFrame, 'period'>,
  spreadsheet: boolean | undefined,
): void {
  const { from, to } = report.period
  ctx.type = 'text/csv; charset=utf-8'
  ctx.set('Content-Disposition', `attachment; filename="${name}_${from}_${to}.csv"`)
  const header = ['section', 'entry', 'figure', 'value', 'numerator', 'denominator']
  ctx.body = formatCsvLines([header, ...buildCsvRows(report)], { bom: true, spreadsheet: spreadsheet === true })
}

function buildCsvRows(report: object): CsvCell[][] {
  return Object.entries(report).flatMap(([section, value]: [string, ReportValue]) => {
    if (!Array.isArray(value)) return buildFigureRows(section, '', '', value)
    return value.flatMap((entry, n) => buildFigureRows(section, formatEntryName(entry) || String(n + 1), '', entry))
  })
}

/** Returns the name of an entry, or else its joined texts, to identify its rows in the CSV file. */
function formatEntryName(entry: ReportValue): string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return ''
  const name = findOwnName(entry)
  if (name !== undefined) return name
  const texts = Object.entries(entry).flatMap(([name, value]) => {
    if (typeof value === 'string' && name !== 'managerId') return [value]
    return isNamedKey(value) ? [value.key] : []
  })
  return texts.join(' · ')
}

const findOwnName = (value: ReportValue): string | undefined =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
    ? value.name
    : undefined

const isNamedKey = (value: ReportValue): value is { key: string; name: ReportValue } =>
  typeof value === 'object' && value !== null && 'key' in value && 'name' in value

/** A figure of a currency also has these two fields, but more than these two. */
const isMoney = (value: object): value is { amount: number; currency: string } =>
  Object.keys(value).sort().join() === 'amount,currency'

function buildFigureRows(section: string, entry: string, figure: string, value: ReportValue): CsvCell[][] {
  if (typeof value === 'boolean') return [[section, entry, figure, String(value)]]
  if (typeof value !== 'object' || value === null) return [[section, entry, figure, value]]
  if (Array.isArray(value))
    return value.flatMap((one, n) => buildFigureRows(section, entry, `${figure} ${findOwnName(one) ?? n + 1}`, one))
  if (isMoney(value)) {
    return [
      [section, entry, figure, value.amount],
      [section, entry, `${figure} currency`, value.currency],
    ]
  }
  if ('denominator' in value)
    return [[section, entry, figure, value.value, value.numerator, value.denominator] as CsvCell[]]
  return Object.entries(value)
    .filter(([, one]) => !isNamedKey(one))
    .flatMap(([name, one]) => buildFigureRows(section, entry, `${figure} ${name}`.trim(), one))
}
