import { Readable } from 'node:stream'
import type { Core } from '../core.ts'
import type { Actor } from '../http/access.ts'
import { csvLines, type Cell } from '../lib/csv.ts'
import { dayOf, dayTeller } from '../lib/time.ts'
import type { Filters } from '../recordings/list/filters.ts'
import { presentListed } from '../recordings/present.ts'
import type { ExportFormat } from './schema.ts'
import { Packer } from './packer.ts'
import { openSnapshot, type ExportRow } from './snapshot.ts'
import { GatheredFile, ZipWriter } from './zip.ts'

type Batches = AsyncIterable<ExportRow[]>
type Writer = (batches: Batches, timeZone: string) => AsyncGenerator<string | Buffer>

/** What csv and the index of the zip are made of: segments above all are long, and not among it. */
const PLAIN_COLUMNS = [
  'id', 'callStartedAt', 'createdAt', 'durationSeconds', 'direction', 'phoneNumber', 'managerName', 'departmentName',
  'externalCallId', 'source', 'fileName', 'score', 'language', 'text',
] as const // prettier-ignore

/** Media type and writer of each format, and how the writer wants the texts. */
const FORMATS: Record<
  ExportFormat,
  { type: string; text: 'plain' | 'json'; columns?: readonly (keyof ExportRow)[]; write: Writer }
> = {
  zip: { type: 'application/zip', text: 'plain', columns: PLAIN_COLUMNS, write: writeZip },
  csv: { type: 'text/csv; charset=utf-8', text: 'plain', columns: PLAIN_COLUMNS, write: writeCsv },
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
  { format, limit, ...filters }: Filters & { format: ExportFormat; limit: number },
): Promise<Export> {
  const { type, text, columns, write } = FORMATS[format]
  const { matching, exported, batches, close } = await openSnapshot(core, actor, filters, { limit, text, columns })
  const timeZone = core.config.APP_TIMEZONE
  const content = Readable.from(write(batches, timeZone), { objectMode: false, highWaterMark: 128 * 1024 })
  content.once('close', close)
  content.once('error', (error) => core.log.warn({ reason: error.message }, 'an export ended early'))
  const fileName = `transcripts-${dayOf(new Date(), timeZone)}.${format}`
  return { matching, exported, fileName, type, content }
}

async function* writeJsonLines(batches: Batches): AsyncGenerator<Buffer> {
  for await (const rows of batches) yield Buffer.concat(rows.flatMap(jsonLine))
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

/** The columns of csv; index.csv of the zip has the name of the file in place of the text. */
const COLUMNS: [name: string, value: (row: ExportRow) => Cell][] = [
  ['id', ({ id }) => id],
  ['callStartedAt', ({ callStartedAt }) => callStartedAt?.toISOString()],
  ['createdAt', ({ createdAt }) => createdAt.toISOString()],
  ['durationSeconds', ({ durationSeconds }) => durationSeconds],
  ['direction', ({ direction }) => direction],
  ['phoneNumber', ({ phoneNumber }) => phoneNumber],
  ['managerName', ({ managerName }) => managerName],
  ['department', ({ departmentName }) => departmentName],
  ['externalCallId', ({ externalCallId }) => externalCallId],
  ['source', ({ source }) => source],
  ['fileName', ({ fileName }) => fileName],
  ['score', ({ score }) => score],
  ['language', ({ language }) => language],
]
const NAMES = COLUMNS.map(([name]) => name)
const cellsOf = (row: ExportRow): Cell[] => COLUMNS.map(([, value]) => value(row))

async function* writeCsv(batches: Batches): AsyncGenerator<Buffer> {
  yield csvLines([[...NAMES, 'text']], { bom: true })
  for await (const rows of batches) yield csvLines(rows.map((row) => [...cellsOf(row), row.text]))
}

/**
 * So many bytes are compressed together: less is not worth a message to another thread, and of twice as many this thread
 * was busy for up to 58 ms at a time.
 */
const TOGETHER = 128 * 1024
/** What counts for a file besides its text: many empty ones add up too. */
const FILE_BYTES = 256
/** So many groups of files are compressed, or wait for the client, while others are read. */
const AHEAD = 3

async function* writeZip(batches: Batches, timeZone: string): AsyncGenerator<Buffer> {
  const zip = new ZipWriter()
  const dayOfCall = dayTeller(timeZone)
  const index = new GatheredFile()
  await index.add(csvLines([['file', ...NAMES]], { bom: true }))
  const packer = new Packer()
  try {
    // Some files are compressed while the next ones are read.
    const packing: Promise<Buffer>[] = []
    for await (const rows of together(batches)) {
      const files = rows.map((row) => ({ name: textName(row, dayOfCall(callTime(row))), modifiedAt: callTime(row) }))
      const packed = packer
        .pack(
          rows.map(({ text }) => text ?? EMPTY),
          LINE_END,
        )
        .then((done) => zip.add(done.map((one, n) => ({ ...files[n]!, ...one }))))
      packed.catch(() => undefined) // it is waited for with later files
      packing.push(packed)
      await index.add(csvLines(rows.map((row, n) => [files[n]!.name, ...cellsOf(row)])))
      if (packing.length > AHEAD) yield await packing.shift()!
    }
    while (packing.length > 0) yield await packing.shift()!
    yield zip.add([{ name: 'index.csv', modifiedAt: new Date(), ...(await index.end()) }])
    yield zip.end()
  } finally {
    await packer.close()
  }
}

const LINE_END = Buffer.from('\n')
const EMPTY = Buffer.alloc(0)

/** Rows for files that are compressed together. */
async function* together(batches: Batches): AsyncGenerator<ExportRow[]> {
  let rows: ExportRow[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row)
      bytes += FILE_BYTES + (row.text?.length ?? 0)
    }
    if (bytes < TOGETHER) continue
    yield rows
    rows = []
    bytes = 0
  }
  if (rows.length > 0) yield rows
}

const callTime = ({ callStartedAt, createdAt }: ExportRow): Date => callStartedAt ?? createdAt

/** {date}_{phone or id}_{id}.txt, in characters that every file system takes. */
function textName(row: ExportRow, day: string): string {
  const phone = row.phoneNumber?.replace(/[^0-9A-Za-z+]+/g, '-').replace(/^-+|-+$/g, '')
  return `${day}_${phone || row.id}_${row.id}.txt`
}
