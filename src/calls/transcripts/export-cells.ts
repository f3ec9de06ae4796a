import type { CsvWriter } from '../../platform/lib/csv.ts'
import type { CopiedRows } from './copy.ts'
import { timeAt, type ExportRow } from './snapshot.ts'

/** The columns of csv besides the text, and of index.csv of the zip: where they come from, and how they are written. */
const COLUMNS: [name: string, from: keyof ExportRow, as: 'text' | 'time' | 'bare'][] = [
  ['id', 'id', 'text'],
  ['callStartedAt', 'callStartedAt', 'time'],
  ['createdAt', 'createdAt', 'time'],
  ['durationSeconds', 'durationSeconds', 'bare'],
  ['direction', 'direction', 'text'],
  ['phoneNumber', 'phoneNumber', 'text'],
  ['managerName', 'managerName', 'text'],
  ['department', 'departmentName', 'text'],
  ['externalCallId', 'externalCallId', 'text'],
  ['source', 'source', 'text'],
  ['fileName', 'fileName', 'text'],
  ['score', 'score', 'bare'],
  ['language', 'language', 'text'],
]
export const CELL_NAMES = COLUMNS.map(([name]) => name)

/** What csv and zip read of a recording, in this order: segments above all are long, and not among it. */
export const READ_COLUMNS: (keyof ExportRow)[] = [...COLUMNS.map(([, from]) => from), 'text']

/** Where the fields of the n-th row begin among the places. */
export const placeOf = (n: number): number => n * READ_COLUMNS.length * 2

/** Where a column's field stands among the places of a row. */
export const placeIn = (column: keyof ExportRow): number => READ_COLUMNS.indexOf(column) * 2

/** Writes the cells of a row, from the bytes that Postgres sent. */
export function writeCells(csv: CsvWriter, { bytes, places }: CopiedRows, row: number): void {
  let at = placeOf(row)
  for (const [, , as] of COLUMNS) {
    const [from, to] = [places[at++]!, places[at++]!]
    if (from < 0) csv.cell(null)
    else if (as === 'time') csv.time(timeAt(bytes, from))
    else csv[as](bytes, from, to)
  }
}
