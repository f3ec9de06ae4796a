import type { Language } from '../frame/i18n.ts'
import { drawShare, type drawChart } from '../frame/charts.ts'

/** What a report shows: figures, charts and tables, the same way for all of them. */
export interface View {
  /** What it comes to, in a sentence, and what must be known with it. */
  verdict?: string
  notes: string[]
  /** Form fields that only this report has. */
  choices?: { name: string; label: string; options: { value: string; text: string }[] }[]
  /** What it rests on, quietly at its end; a part leads to its list. */
  basis?: (string | Part)[]
  cards: { name: string; value: string; note: string; href?: string; parts?: Part[] }[]
  charts: ReturnType<typeof drawChart>[]
  tables: Table[]
}

export interface Table {
  id: string
  title: string
  columns: { text: string; isNumber: boolean }[]
  rows: { head: Cell; cells: Cell[] }[]
}

export interface Cell {
  text: string
  /** The calls behind it. */
  href?: string | undefined
  /** In the place of the text: figures beside each other, each with its own list. */
  parts?: Part[]
  /** A share beside its number. */
  share?: ReturnType<typeof drawShare> | undefined
  /** A name that people gave: shown in its own direction. */
  isName?: boolean
  /** How good a share is, 1 to 5, for its colour. */
  level?: number
}

export interface Part {
  text: string
  href: string
}

/** What narrows the page, for links to the lists behind its figures. */
export interface Narrowed {
  from: string
  to: string
  department?: string
  manager?: string
  funnel?: string
  /** The version of rules whose scores the correlation compares. */
  scoredBy?: string
}

interface Ratio {
  value: number | null
  numerator: number
  denominator: number
}

/** The list of the calls behind a figure. */
export function callsHref({ from, to, department, manager }: Narrowed, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ dateFrom: from, dateTo: to })
  for (const [name, value] of Object.entries({ department, manager, ...more })) if (value) query.set(name, value)
  return `/recordings?${query.toString()}`
}

/** The list of the deals behind a figure: those closed in the period, unless it says otherwise. */
export function dealsHref(narrowed: Narrowed, more: Record<string, string> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...narrowed, ...more })) if (value) query.set(name, value)
  return `/analytics/deals?${query.toString()}`
}

/** How reports write numbers. */
export function writing({ words, format }: Language) {
  const t = words.analytics
  const percent = (value: number) => words.common.percent(format.number(Math.round(100 * value)))
  const ofAll = ({ numerator, denominator }: Ratio) => t.ofAll(format.number(numerator), format.number(denominator))
  return {
    percent,
    number: (value: number | null) => (value === null ? '—' : format.number(Math.round(10 * value) / 10)),
    /** Its share, where it is of enough. */
    ratio: (ratio: Ratio) => (ratio.value === null ? '—' : percent(ratio.value)),
    ofAll,
    /** A cell with the bar of its share; of too few it says how many of how many. */
    share: (
      ratio: Ratio,
      { low, high, href }: { low?: number | null; high?: number | null; href?: string } = {},
    ): Cell => ({
      text: ratio.value !== null ? percent(ratio.value) : ratio.denominator > 0 ? ofAll(ratio) : '—',
      href,
      share: ratio.value === null ? undefined : drawShare({ value: ratio.value, low, high, title: ofAll(ratio) }),
    }),
    name: (name: string | null): Cell => (name === null ? { text: t.nobody } : { text: name, isName: true }),
    weekName: ({ from, complete }: { from: string; complete: boolean }) =>
      complete ? t.week(format.day(from)) : `${t.week(format.day(from))}, ${t.unfinished}`,
  }
}

/** A table; columns of texts begin with an asterisk, all others are of numbers. */
export function table(id: string, title: string, columns: string[], rows: Table['rows']): Table[] {
  if (rows.length === 0) return []
  const shown = columns.map((text) => ({ text: text.replace(/^\*/, ''), isNumber: !text.startsWith('*') }))
  return [{ id, title, columns: shown, rows }]
}

export const cell = (text: string, href?: string): Cell => ({ text, href })
