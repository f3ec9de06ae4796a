import { Readable } from 'node:stream'
import { csvLines, type Cell } from '../../platform/lib/csv.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import type { PageContext } from '../frame/context.ts'

/** Spreadsheets cut a cell beyond 32,767 characters, or spill it over the rows below. */
const MOST_IN_CELL = 32_000

const LINE_FEED = 10

/**
 * Answers with the calls of an export as people read them in a spreadsheet: words and times of the panel, and a link to
 * each call. Made of the API's lines of JSON as they come, so that no more is held than one piece of them.
 * @param question the API's export as jsonl, with the same filters
 * @throws ApiError, ApiDown
 */
export async function sendTable({ ctx, api, language, panel }: PageContext, question: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const { headers, body } = await api.stream(method, question, {})
  const t = language.words.recordings.table
  const day = language.format.dayOf(new Date().toISOString())
  // Set before the headers: Koa guesses a type for a body that has none.
  if (method === 'HEAD') body.resume()
  else {
    const lines = tableOf(body, language, `${ctx.protocol}://${ctx.host}`, panel.config.APP_TIMEZONE)
    ctx.body = Readable.from(lines, { objectMode: false, highWaterMark: 128 * 1024 })
  }
  ctx.compress = false
  ctx.type = 'text/csv; charset=utf-8'
  ctx.attachment(`${t.fileName}-${day}.csv`)
  for (const name of ['x-transcripts-matching', 'x-transcripts-exported']) {
    if (headers[name] !== undefined) ctx.set(name, String(headers[name]))
  }
}

/** Lines of CSV from lines of JSON. @param origin where the panel is, for the links */
export async function* tableOf(
  jsonLines: AsyncIterable<Buffer>,
  language: Language,
  origin: string,
  timeZone: string,
): AsyncGenerator<Buffer> {
  const { columns, separator } = language.words.recordings.table
  yield csvLines([Object.values(columns(timeZone))], { bom: true, separator })
  const cells = (line: Buffer) => cellsOf(JSON.parse(line.toString('utf8')) as RecordingJson, language, origin)
  for await (const lines of linesOf(jsonLines)) yield csvLines(lines.map(cells), { separator, spreadsheet: true })
}

/** The lines that each piece ends: the text of a long call comes in many pieces. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      lines.push(Buffer.concat([...begun, chunk.subarray(from, end)]))
      begun = []
      from = end + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
    if (lines.length > 0) yield lines
  }
  if (begun.length > 0) yield [Buffer.concat(begun)]
}

/** The cells of a call in the order of the columns; what is not known is empty. */
function cellsOf(call: RecordingJson, { words, format }: Language, origin: string): Cell[] {
  const { recordings } = words
  const { table } = recordings
  const link = `${origin}/recordings/${call.id}`
  const text = call.transcript?.text ?? ''
  return [
    { value: table.time(format.localTime(call.callStartedAt ?? call.createdAt)) },
    call.direction && recordings.direction[call.direction],
    call.phoneNumber,
    call.managerName,
    call.department?.name,
    call.durationSeconds === null ? null : { value: lengthOf(call.durationSeconds) },
    call.score === null || call.scoreIsMock ? null : Math.round(call.score),
    recordings.source[call.source],
    call.externalCallId,
    call.fileName,
    link,
    text.length > MOST_IN_CELL ? `${text.slice(0, MOST_IN_CELL).toWellFormed()}… ${table.rest(link)}` : text,
  ]
}

/** 0:04:12: a spreadsheet would take 4:12 for hours and minutes. */
function lengthOf(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
