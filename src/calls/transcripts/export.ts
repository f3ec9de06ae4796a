import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { csvLines, type Cell } from '../../platform/lib/csv.ts'
import { dayOf, dayTeller } from '../../platform/lib/time.ts'
import type { Filters } from '../list/filters.ts'
import { presentRecording, RECORDING_COLUMNS, type RecordingWithTranscriptRow } from '../recordings/present.ts'
import type { ExportFormat } from './schema.ts'
import { openSnapshot } from './snapshot.ts'

/** A recording with its transcript, whose segments stay the JSON that Postgres sends; csv and zip do not read them. */
type Row = Omit<RecordingWithTranscriptRow, 'segments'> & { segments: string }

interface Options {
  timeZone: string
  spreadsheet: boolean
}

interface Format {
  type: string
  columns: string
  write: (batches: AsyncIterable<Row[]>, options: Options) => AsyncGenerator<Uint8Array | string>
}

const TEXT_COLUMNS = `${RECORDING_COLUMNS}, t.text, t.language`
const ALL_COLUMNS = `${TEXT_COLUMNS}, t.model, t.decoder AS "transcriptDecoder", t.timing, t.segments::text AS segments`

const FORMATS: Record<ExportFormat, Format> = {
  zip: { type: 'application/zip', columns: TEXT_COLUMNS, write: writeZip },
  csv: { type: 'text/csv; charset=utf-8', columns: TEXT_COLUMNS, write: writeCsv },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', columns: ALL_COLUMNS, write: writeJsonLines },
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
 * Makes one file of the transcripts that the filters choose, the oldest call first, as fast as its stream is read. Koa
 * destroys the stream when the client goes away, which closes the snapshot.
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
  const { type, columns, write } = FORMATS[format]
  const { matching, exported, batches, close } = await openSnapshot<Row>(core, actor, filters, { limit, columns })
  const timeZone = core.config.APP_TIMEZONE
  const content = Readable.from(write(batches, { timeZone, spreadsheet }), { objectMode: false })
  content.once('close', close)
  content.once('error', (error) => core.log.warn({ reason: error.message }, 'an export ended early'))
  const fileName = `transcripts-${dayOf(new Date(), timeZone)}.${format}`
  return { matching, exported, fileName, type, content }
}

async function* writeJsonLines(batches: AsyncIterable<Row[]>): AsyncGenerator<string> {
  for await (const rows of batches) yield rows.map(jsonLine).join('')
}

/** The recording as GET returns it. Parsing the segments to write them again would take longer than all the rest. */
function jsonLine({ segments, ...row }: Row): string {
  const { transcript, ...recording } = presentRecording({ ...row, segments: [] })
  const head = JSON.stringify(recording).slice(0, -1)
  if (!transcript) return `${head},"transcript":null}\n`
  const { segments: _, ...text } = transcript
  // A line feed can only stand between the tokens of JSON.
  return `${head},"transcript":${JSON.stringify(text).slice(0, -1)},"segments":${segments.replaceAll('\n', ' ')}}}\n`
}

/** The columns of csv besides the text, and of the zip's index. */
const COLUMNS: Record<string, (row: Row, options: Options) => Cell> = {
  id: ({ id }) => id,
  callStartedAt: ({ callStartedAt }) => callStartedAt && { value: callStartedAt.toISOString() },
  createdAt: ({ createdAt }) => ({ value: createdAt.toISOString() }),
  durationSeconds: ({ durationSeconds }, options) => numberCell(durationSeconds, options),
  direction: ({ direction }) => direction,
  phoneNumber: ({ phoneNumber }) => phoneNumber,
  managerName: ({ managerName }) => managerName,
  department: ({ departmentName }) => departmentName,
  externalCallId: ({ externalCallId }) => externalCallId,
  source: ({ source }) => source,
  fileName: ({ fileName }) => fileName,
  score: ({ score }, options) => numberCell(score, options),
  language: ({ language }) => language,
}
const NAMES = Object.keys(COLUMNS)

/** Some languages read a number with a fraction as a day and a month; a text gets an apostrophe. */
const numberCell = (number: number | null, { spreadsheet }: Options): Cell =>
  number !== null && spreadsheet && !Number.isInteger(number) ? String(number) : number

const cellsOf = (row: Row, options: Options): Cell[] => Object.values(COLUMNS).map((cell) => cell(row, options))

async function* writeCsv(batches: AsyncIterable<Row[]>, options: Options): AsyncGenerator<Buffer> {
  yield csvLines([[...NAMES, 'text']], { bom: true })
  for await (const rows of batches) {
    const lines = rows.map((row) => [...cellsOf(row, options), row.text])
    yield csvLines(lines, { spreadsheet: options.spreadsheet })
  }
}

/** A zip of one .txt for each row, and an index.csv of all of them. */
async function* writeZip(batches: AsyncIterable<Row[]>, options: Options): AsyncGenerator<Buffer> {
  const chunks: Uint8Array[] = []
  const takeChunks = () => Buffer.concat(chunks.splice(0))
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const dayOfCall = dayTeller(options.timeZone)
  const index = [csvLines([['file', ...NAMES]], { bom: true })]
  for await (const rows of batches) {
    const lines: Cell[][] = []
    for (const row of rows) {
      const moment = row.callStartedAt ?? row.createdAt
      const phone = row.phoneNumber?.replace(/[^0-9A-Za-z+]+/g, '-').replace(/^-+|-+$/g, '')
      // In characters that every file system takes.
      const name = `${dayOfCall(moment)}_${phone || row.id}_${row.id}.txt`
      const content = Buffer.from(row.text ? `${row.text}\n` : '')
      addFile(zip, name, moment, content, deflateText(content))
      lines.push([name, ...cellsOf(row, options)])
    }
    index.push(csvLines(lines, { spreadsheet: options.spreadsheet }))
    yield takeChunks()
  }
  const content = Buffer.concat(index)
  addFile(zip, 'index.csv', new Date(), content, await promisify(deflateRaw)(content))
  zip.end()
  yield takeChunks()
}

/** Years that a zip can hold. */
const [FIRST_DATE, LAST_DATE] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)]
const DEFLATE = 8
const [UNIX, PLAIN_FILE] = [3, 0o100644 << 16]

/** node:zlib compresses three times as fast as the library of the zip. */
function addFile(zip: Zip, filename: string, modifiedAt: Date, content: Buffer, deflated: Buffer): void {
  const mtime = Math.min(LAST_DATE, Math.max(FIRST_DATE, modifiedAt.getTime()))
  const size = content.length
  const file: ZipInputFile = { filename, mtime, size, crc: crc32(content), compression: DEFLATE, os: UNIX, attrs: PLAIN_FILE }
  zip.add(file)
  file.ondata!(null, deflated as Uint8Array<ArrayBuffer>, true)
}

/** For a text of some KB, zlib with small tables takes 30 µs instead of 73. */
const deflateText = (content: Buffer): Buffer =>
  deflateRawSync(content, { level: 1, memLevel: 6, windowBits: 13, chunkSize: Math.max(256, content.length) })
