import { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { formatCsvLines, type CsvCell } from '../../platform/lib/csv.ts'
import { formatDay } from '../../platform/lib/time.ts'
import type { RecordingFilterValues } from '../list/filters.ts'
import { presentRecordingSummary, RECORDING_COLUMNS_SQL, type RecordingRow } from '../recordings/present.ts'
import type { TranscriptSegment } from './entity.ts'
import type { TranscriptExportFormat } from './schema.ts'
import { presentSegments } from './segment-speakers.ts'
import { openTranscriptSnapshot } from './snapshot.ts'
import { ZipFileContent, ZipWriter } from './zip.ts'

interface ExportOptions {
  spreadsheet: boolean
}

/** A column of the CSV file and of the index in the zip, with its SQL and the conversion of its value. */
type ExportColumn = [name: string, sql: string, cell?: (value: never, options: ExportOptions) => CsvCell]

/** Formats times like toISOString(), which would take longer in this process. */
const isoTimeSql = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const EXPORT_COLUMNS: ExportColumn[] = [
  ['id', 'r.id'],
  ['callStartedAt', isoTimeSql('r.call_started_at'), formatTimeCell],
  ['createdAt', isoTimeSql('r.created_at'), formatTimeCell],
  ['durationSeconds', 'r.duration_seconds', formatNumberCell],
  ['direction', 'r.direction'],
  ['phoneNumber', 'r.phone_number'],
  ['managerName', 'r.manager_name'],
  ['department', 'd.name'],
  ['externalCallId', 'r.external_call_id'],
  ['source', 'r.source'],
  ['fileName', 'r.file_name'],
  ['score', 'r.score', formatNumberCell],
  ['language', 't.language'],
]
const COLUMN_NAMES = EXPORT_COLUMNS.map(([name]) => name)

/** A row of a CSV or zip export. It has no segments, because they are long. */
interface TextRow extends Record<string, unknown> {
  id: string
  callStartedAt: string | null
  createdAt: string
  phoneNumber: string | null
  text: string
  /** Day of the call in APP_TIMEZONE, at most 9999-12-31. */
  day: string
}
const CALL_DAY_SQL = "to_char(least(r.call_at, '9999-12-31'), 'YYYY-MM-DD')"
const TEXT_COLUMNS = [
  ...EXPORT_COLUMNS.map(([name, sql]) => `${sql} AS "${name}"`),
  't.text',
  `${CALL_DAY_SQL} AS day`,
].join(', ')

/**
 * A row of a JSONL export. Postgres formats the transcript as JSON, because parsing and formatting it in this process would take
 * longer.
 */
type FullRow = RecordingRow & { transcript: string }
const FULL_COLUMNS = `${RECORDING_COLUMNS_SQL}, json_build_object('text', t.text, 'model', t.model, 'decoder', t.decoder,
  'language', t.language, 'timing', t.timing, 'segments', t.segments)::text AS transcript`

interface ExportFileFormat {
  type: string
  columns: string
  /** Converts the rows of `columns` to the bytes of the file. */
  write: (batches: AsyncIterable<never[]>, options: ExportOptions) => AsyncGenerator<Buffer>
}

const EXPORT_FILE_FORMATS: Record<TranscriptExportFormat, ExportFileFormat> = {
  zip: { type: 'application/zip', columns: TEXT_COLUMNS, write: writeZip },
  csv: { type: 'text/csv; charset=utf-8', columns: TEXT_COLUMNS, write: writeCsv },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', columns: FULL_COLUMNS, write: writeJsonLines },
}

/**
 * An export whose content is generated while the client reads it. `matching` counts all matching transcripts, `exported` those in
 * the file.
 */
interface TranscriptExport {
  matching: number
  exported: number
  fileName: string
  type: string
  content: Readable
}

/**
 * Exports at most `limit` of the filtered transcripts as one file, as fast as the client reads.
 * @throws HttpError 503 if too many exports are running
 */
export async function exportTranscripts(
  core: Core,
  actor: Actor,
  {
    format,
    limit,
    spreadsheet = false,
    ...filters
  }: RecordingFilterValues & { format: TranscriptExportFormat; limit: number; spreadsheet?: boolean },
): Promise<TranscriptExport> {
  const { type, columns, write } = EXPORT_FILE_FORMATS[format]
  const { matching, exported, batches, close } = await openTranscriptSnapshot<never>(core, actor, filters, {
    limit,
    columns,
  })
  const content = Readable.from(write(batches, { spreadsheet }), { objectMode: false })
  content.once('close', close)
  content.once('error', (error) => core.log.warn({ reason: error.message }, 'an export ended early'))
  const fileName = `transcripts-${formatDay(new Date(), core.config.APP_TIMEZONE)}.${format}`
  return { matching, exported, fileName, type, content }
}

async function* writeJsonLines(batches: AsyncIterable<FullRow[]>): AsyncGenerator<Buffer> {
  for await (const rows of batches) yield Buffer.concat(rows.map(formatJsonLine))
}

/** Formats a recording with its transcript as one line of JSON, with the fields of the response of GET. */
function formatJsonLine(row: FullRow): Buffer {
  // Line feeds occur only between JSON tokens, because JSON escapes them in strings.
  const transcript = addSpeakers(row).replaceAll('\n', ' ')
  const recording = JSON.stringify(presentRecordingSummary(row))
  // Strings escape their quotes, so this text is always the field.
  return Buffer.from(`${recording.replace('"transcript":null', () => `"transcript":${transcript}`)}\n`)
}

/** Adds the speakers to a transcript of an earlier release. */
function addSpeakers(row: FullRow): string {
  if (row.transcript.includes('"speaker":')) return row.transcript
  const transcript = JSON.parse(row.transcript) as { segments: TranscriptSegment[] | null }
  if (!transcript.segments) return row.transcript
  return JSON.stringify({ ...transcript, segments: presentSegments(transcript.segments, row) })
}

function formatTimeCell(time: string | null): CsvCell {
  return time && { value: time }
}

/** In some languages, spreadsheets read a number with a fraction as a date. A text cell gets an apostrophe and is safe. */
function formatNumberCell(number: number | null, { spreadsheet }: ExportOptions): CsvCell {
  return number !== null && spreadsheet && !Number.isInteger(number) ? String(number) : number
}

const cellsOf = (row: TextRow, options: ExportOptions): CsvCell[] =>
  EXPORT_COLUMNS.map(([name, , cell]) => (cell ? cell(row[name] as never, options) : (row[name] as CsvCell)))

async function* writeCsv(batches: AsyncIterable<TextRow[]>, options: ExportOptions): AsyncGenerator<Buffer> {
  yield formatCsvLines([[...COLUMN_NAMES, 'text']], { bom: true })
  for await (const rows of batches) {
    const lines = rows.map((row) => [...cellsOf(row, options), row.text])
    yield formatCsvLines(lines, { spreadsheet: options.spreadsheet })
  }
}

/** Writes a zip with a .txt file per row and an index.csv of all rows. */
async function* writeZip(batches: AsyncIterable<TextRow[]>, options: ExportOptions): AsyncGenerator<Buffer> {
  const zip = new ZipWriter()
  const index = new ZipFileContent().add(formatCsvLines([['file', ...COLUMN_NAMES]], { bom: true }))
  for await (const rows of batches) {
    const files: Buffer[] = []
    const lines: CsvCell[][] = []
    for (const row of rows) {
      const moment = new Date(row.callStartedAt ?? row.createdAt)
      const phone = row.phoneNumber?.replace(/[^0-9A-Za-z+]+/g, '-').replace(/^-+|-+$/g, '')
      // Use only characters that every file system accepts.
      const name = `${row.day}_${phone || row.id}_${row.id}.txt`
      const content = Buffer.from(row.text ? `${row.text}\n` : '')
      files.push(zip.addFile(name, moment, new ZipFileContent().add(content, { isLast: true })))
      lines.push([name, ...cellsOf(row, options)])
    }
    index.add(formatCsvLines(lines, { spreadsheet: options.spreadsheet }))
    yield Buffer.concat(files)
  }
  yield zip.addFile('index.csv', new Date(), index.add(Buffer.alloc(0), { isLast: true }))
  yield zip.end()
}
