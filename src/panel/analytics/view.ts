import type { drawChart, drawShare } from '../frame/charts.ts'

/** The content of a report: figures, charts and tables. */
export interface View {
  /** The result in a sentence. */
  verdict?: string
  notes: string[]
  /** Form fields that only this report has. */
  choices?: { name: string; label: string; options: { value: string; text: string }[] }[]
  /** The data behind the report, at its end; a part links to its list. */
  basis?: (string | Part)[]
  cards: Card[]
  charts: ReturnType<typeof drawChart>[]
  tables: Table[]
}

export interface Card {
  name: string
  value: string
  note?: string
  href?: string
  parts?: Part[]
}

export interface Table {
  id: string
  title: string
  columns: { text: string; isNumber: boolean }[]
  rows: { head: Cell; cells: Cell[] }[]
}

export interface Cell {
  text: string
  /** The calls or deals behind it. */
  href?: string | undefined
  /** Shown instead of the text: figures, each with its own list. */
  parts?: Part[]
  /** A bar beside the number. */
  share?: ReturnType<typeof drawShare> | undefined
  /** A name that people gave: shown in its own text direction. */
  isName?: boolean
  /** The grade of a share, 1 to 5, for its colour. */
  level?: number
}

export interface Part {
  text: string
  href: string
}

interface Column<Row> {
  title: string
  /** Columns contain numbers by default; the first one contains texts. */
  isText?: boolean
  cell: (row: Row) => Cell | string
}

/** A table; none without rows. */
export function table<Row>(id: string, title: string, rows: readonly Row[], columns: Column<Row>[]): Table[] {
  if (rows.length === 0) return []
  const cellOf = (shown: Cell | string): Cell => (typeof shown === 'string' ? { text: shown } : shown)
  return [
    {
      id,
      title,
      columns: columns.map(({ title, isText }, n) => ({ text: title, isNumber: n > 0 && !isText })),
      rows: rows.map((row) => {
        const [head, ...cells] = columns.map(({ cell }) => cellOf(cell(row)))
        return { head: head!, cells }
      }),
    },
  ]
}

export const cell = (text: string, href?: string): Cell => ({ text, href })
