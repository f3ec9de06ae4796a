import type { Actor } from '../../platform/http/actor.ts'
import { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import { csvLines, CsvWriter } from '../../platform/lib/csv.ts'
import { dayOf } from '../../platform/lib/time.ts'
import type { Filters } from '../list/filters.ts'
import { presentListed } from '../recordings/present.ts'
import type { CopiedRows } from './copy.ts'
import { CELL_NAMES, placeIn, placeOf, READ_COLUMNS, writeCells } from './export-cells.ts'
import { writeZip } from './export-zip.ts'
import type { ExportFormat } from './schema.ts'
import { openSnapshot, readRows, type Column, type ExportRow } from './snapshot.ts'

type Batches = AsyncIterable<CopiedRows>
/** Format of a file: the time zone of days, cells for spreadsheets or programs, and the columns that were read. */
interface Writing {
  timeZone: string
  spreadsheet: boolean
  columns: Column[]
}
type Writer = (batches: Batches, writing: Writing) => AsyncGenerator<Buffer>

/** Media type and writer of each format, how the writer wants the texts, and which columns; all where none are named. */
const FORMATS: Record<
  ExportFormat,
  { type: string; text: 'plain' | 'json'; names?: readonly (keyof ExportRow)[]; write: Writer }
> = {
  zip: { type: 'application/zip', text: 'plain', names: READ_COLUMNS, write: writeZip },
  csv: { type: 'text/csv; charset=utf-8', text: 'plain', names: READ_COLUMNS, write: writeCsv },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', text: 'json', write: writeJsonLines },
}

/** A file that is being made. */
export interface Export {
  matching: number
  exported: number
  fileName: string
  type: string
  content: Readable
}

/**
 * Makes one file of the transcripts that the filters choose, the oldest first. It is made as fast as it is read; when
 * its stream is destroyed, as Koa does when the client goes away, reading ends and the connection is given back.
 * @throws HttpError 503 when too many exports run
 */
export async function exportTranscripts(
  core: Core,
  actor: Actor,
  {
    format,
    limit,
    spreadsheet = false,
    ...filters
  }: Filters & { format: ExportFormat; limit: number; spreadsheet?: boolean },
): Promise<Export> {
  const { type, text, names, write } = FORMATS[format]
  const { matching, exported, columns, batches, close } = await openSnapshot(core, actor, filters, {
    limit,
    text,
    names,
  })
  const timeZone = core.config.APP_TIMEZONE
  const content = Readable.from(write(batches, { timeZone, spreadsheet, columns }), {
    objectMode: false,
    highWaterMark: 128 * 1024,
  })
  content.once('close', close)
  content.once('error', (error) => core.log.warn({ reason: error.message }, 'an export ended early'))
  const fileName = `transcripts-${dayOf(new Date(), timeZone)}.${format}`
  return { matching, exported, fileName, type, content }
}

async function* writeJsonLines(batches: Batches, { columns }: Writing): AsyncGenerator<Buffer> {
  for await (const rows of batches) yield Buffer.concat(readRows(columns, rows).flatMap(jsonLine))
}

const LINE_FEED = 10

/** The recording as GET answers it, its text and segments passed on as they come. */
function jsonLine(row: ExportRow): Buffer[] {
  const { transcript: _, score, ...recording } = presentListed(row)
  const { text, model, transcriptDecoder: decoder, language, timing, segments } = row
  const head = `${JSON.stringify(recording).slice(0, -1)},"transcript":`
  const tail = `,"score":${JSON.stringify(score)}}\n`
  if (!text || !segments) return [Buffer.from(`${head}null${tail}`)]
  const about = JSON.stringify({ model, decoder, language, timing }).slice(1, -1)
  const oneLine = segments.includes(LINE_FEED) ? Buffer.from(JSON.stringify(JSON.parse(String(segments)))) : segments
  return [
    Buffer.from(`${head}{"text":`), text, Buffer.from(`,${about},"segments":`), oneLine, Buffer.from(`}${tail}`),
  ] // prettier-ignore
}

const TEXT = placeIn('text')
/** About so many a line has besides its text. */
const LINE_BYTES = 300

async function* writeCsv(batches: Batches, { spreadsheet }: Writing): AsyncGenerator<Buffer> {
  yield csvLines([[...CELL_NAMES, 'text']], { bom: true })
  for await (const rows of batches) {
    const { count, bytes, places } = rows
    const csv = new CsvWriter({ spreadsheet, size: bytes.length + count * LINE_BYTES })
    for (let row = 0; row < count; row++) {
      const at = placeOf(row) + TEXT
      writeCells(csv, rows, row)
      if (places[at]! < 0) csv.cell(null)
      else csv.text(bytes, places[at], places[at + 1])
      csv.endLine()
    }
    yield csv.take()
  }
}
