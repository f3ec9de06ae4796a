import type { Context } from 'koa'
import { csvLines, type Cell } from '../platform/lib/csv.ts'
import type { Frame } from './schema.ts'

type Value = string | number | boolean | null | Value[] | { [name: string]: Value }

/** Sends all figures of a report as a table; a share has its numerator and denominator beside it. */
export function sendCsv(
  ctx: Context,
  name: string,
  report: object & Pick<Frame, 'period'>,
  spreadsheet: boolean | undefined,
): void {
  const { from, to } = report.period
  ctx.type = 'text/csv; charset=utf-8'
  ctx.set('Content-Disposition', `attachment; filename="${name}_${from}_${to}.csv"`)
  const header = ['section', 'entry', 'figure', 'value', 'numerator', 'denominator']
  ctx.body = csvLines([header, ...linesOf(report)], { bom: true, spreadsheet: spreadsheet === true })
}

function linesOf(report: object): Cell[][] {
  return Object.entries(report).flatMap(([section, value]: [string, Value]) => {
    if (!Array.isArray(value)) return figuresOf(section, '', '', value)
    return value.flatMap((entry, n) => figuresOf(section, nameOf(entry) || String(n + 1), '', entry))
  })
}

/** The name of a list's entry: its texts, joined. */
function nameOf(entry: Value): string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return ''
  const name = ownName(entry)
  if (name !== undefined) return name
  const texts = Object.entries(entry).flatMap(([name, value]) => {
    if (typeof value === 'string' && name !== 'managerId') return [value]
    return isNamed(value) ? [value.key] : []
  })
  return texts.join(' · ')
}

/** The name of a figure that has one of its own. */
const ownName = (value: Value): string | undefined =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
    ? value.name
    : undefined

const isNamed = (value: Value): value is { key: string; name: Value } =>
  typeof value === 'object' && value !== null && 'key' in value && 'name' in value

/** An amount with its currency; a figure of a currency has more than these two fields. */
const isMoney = (value: object): value is { amount: number; currency: string } =>
  Object.keys(value).sort().join() === 'amount,currency'

function figuresOf(section: string, entry: string, figure: string, value: Value): Cell[][] {
  if (typeof value === 'boolean') return [[section, entry, figure, String(value)]]
  if (typeof value !== 'object' || value === null) return [[section, entry, figure, value]]
  if (Array.isArray(value))
    return value.flatMap((one, n) => figuresOf(section, entry, `${figure} ${ownName(one) ?? n + 1}`, one))
  if (isMoney(value)) {
    return [
      [section, entry, figure, value.amount],
      [section, entry, `${figure} currency`, value.currency],
    ]
  }
  if ('denominator' in value)
    return [[section, entry, figure, value.value, value.numerator, value.denominator] as Cell[]]
  return Object.entries(value)
    .filter(([, one]) => !isNamed(one))
    .flatMap(([name, one]) => figuresOf(section, entry, `${figure} ${name}`.trim(), one))
}
