import type { drawChart } from '../frame/charts.ts'
import type { TableCell, TextLink } from './cell.ts'
import type { SortHeader, TableSort } from '../frame/sortable.ts'
import type { QualityReportJson } from '../../reports/quality/schema.ts'
import type { ReportSortKey } from './report-sorting.ts'
import type { Sparkline } from './trend.ts'

export { createTableCell, type TableCell, type TextLink } from './cell.ts'

/** The data of a report page: figures, charts and tables, ready for views/analytics/report.eta. */
export interface ReportView {
  /** A sentence that summarizes the report. */
  verdict?: string
  /** The figures of the heat map, for a report that has one. */
  heat?: QualityReportJson
  notes: string[]
  /** Select fields that only this report has. */
  choices?: { name: string; label: string; options: { value: string; text: string }[] }[]
  /** Footnotes about the data of the report. A TextLink leads to the list of the data. */
  basis?: (string | TextLink)[]
  cards: ReportCard[]
  charts: ReturnType<typeof drawChart>[]
  tables: ReportTable[]
}

/** A figure at the top of a report, optionally with a note, a list address or a sparkline. */
export interface ReportCard {
  name: string
  value: string
  note?: string
  href?: string
  parts?: TextLink[]
  /** CSS class of the value, such as that of a score band. */
  className?: string
  sparkline?: Sparkline
}

/** A table of a report. `keys` has one sort value per column, and `first` is the order after the first click. */
export interface ReportTable {
  id: string
  title: string
  columns: { text: string; isNumber: boolean; first?: TableSort['order'] | undefined }[]
  rows: { head: TableCell; cells: TableCell[]; keys: ReportSortKey[] }[]
  /** Set by sortReportTable(). */
  headers?: (SortHeader | undefined)[]
  /** The link to all rows, if the table shows only the first ones. */
  more?: TextLink | undefined
}

interface Column<Row> {
  title: string
  /** By default, the first column has text and the others have numbers. */
  isText?: boolean
  cell: (row: Row) => TableCell | string
  /** Sort value of a row, by default the shown text. A number column without `by` is not sortable. */
  by?: (row: Row) => ReportSortKey
  /** Order after the first click; by default descending for numbers and ascending for text. */
  first?: TableSort['order']
}

/** Builds a table as a list of one item, or an empty list if there are no rows. The first column is the row header. */
export function buildReportTable<Row>(
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
