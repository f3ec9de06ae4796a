import type { drawChart } from '../frame/charts.ts'
import type { TableCell, TextLink } from './cell.ts'
import type { SortHeader, TableSort } from '../frame/sortable.ts'
import type { HeatMap } from './heat.ts'
import type { SortKey } from './report-sorting.ts'
import type { Sparkline } from './trend.ts'

export { createCell, type TableCell, type TextLink } from './cell.ts'

/** The content of a report: figures, charts and tables. */
export interface ReportView {
  /** The answer to the report's question, in a sentence. */
  verdict?: string
  heat?: HeatMap[]
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
  columns: { text: string; isNumber: boolean; first?: TableSort['order'] | undefined }[]
  rows: { head: TableCell; cells: TableCell[]; keys: SortKey[] }[]
  /** The headers of the columns that sort it. */
  headers?: (SortHeader | undefined)[]
  /** The link to all rows, if the table shows only the first ones. */
  more?: TextLink | undefined
}

interface Column<Row> {
  title: string
  /** Columns contain numbers by default; the first one contains texts. */
  isText?: boolean
  cell: (row: Row) => TableCell | string
  /** The value that sorts the rows; texts are sorted as shown. A number column without it does not sort. */
  by?: (row: Row) => SortKey
  /** The order after the first click; by default largest numbers and first letters. */
  first?: TableSort['order']
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
      columns: columns.map(({ title, isText, by, first }, n) => {
        const isNumber = n > 0 && !isText
        return { text: title, isNumber, first: first ?? (isNumber ? by && 'desc' : 'asc') }
      }),
      rows: rows.map((row) => {
        const all = columns.map(({ cell: createCell }) => toCell(createCell(row)))
        const [head, ...cells] = all
        return { head: head!, cells, keys: columns.map(({ by }, n) => (by ? by(row) : all[n]!.text)) }
      }),
    },
  ]
}
