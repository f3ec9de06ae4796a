import type { drawChart, drawShare } from '../frame/charts.ts'
import type { HeatMap } from './heat.ts'
import type { Sparkline } from './trend.ts'

/** The content of a report: figures, charts and tables. */
export interface ReportView {
  /** The answer to the report's question, in a sentence. */
  verdict?: string
  heat?: HeatMap | undefined
  notes: string[]
  /** Form fields that only this report has. */
  choices?: { name: string; label: string; options: { value: string; text: string }[] }[]
  /** The data behind the report, at its end; a part links to its list. */
  basis?: (string | TextLink)[]
  cards: ReportCard[]
  charts: ReturnType<typeof drawChart>[]
  tables: ReportTable[]
}

export interface ReportCard {
  name: string
  value: string
  note?: string
  href?: string
  parts?: TextLink[]
  /** The class of the value, such as that of a score's band. */
  className?: string
  sparkline?: Sparkline
}

export interface ReportTable {
  id: string
  title: string
  columns: { text: string; isNumber: boolean }[]
  rows: { head: TableCell; cells: TableCell[] }[]
}

export interface TableCell {
  text: string
  /** The calls or deals behind it. */
  href?: string | undefined
  /** Shown instead of the text: figures, each with its own list. */
  parts?: TextLink[]
  /** A bar beside the number. */
  share?: ReturnType<typeof drawShare> | undefined
  /** A name that people gave: shown in its own text direction. */
  isName?: boolean
  /** The class of the text, such as that of a score's band. */
  className?: string
  title?: string
}

export interface TextLink {
  text: string
  href: string
}

interface Column<Row> {
  title: string
  /** Columns contain numbers by default; the first one contains texts. */
  isText?: boolean
  cell: (row: Row) => TableCell | string
}

/** A table; none without rows. */
export function buildTable<Row>(
  id: string,
  title: string,
  rows: readonly Row[],
  columns: Column<Row>[],
): ReportTable[] {
  if (rows.length === 0) return []
  const toCell = (content: TableCell | string): TableCell => (typeof content === 'string' ? { text: content } : content)
  return [
    {
      id,
      title,
      columns: columns.map(({ title, isText }, n) => ({ text: title, isNumber: n > 0 && !isText })),
      rows: rows.map((row) => {
        const [head, ...cells] = columns.map(({ cell: createCell }) => toCell(createCell(row)))
        return { head: head!, cells }
      }),
    },
  ]
}

export const createCell = (text: string, href?: string): TableCell => ({ text, href })
