import { Readable } from 'node:stream'
import { formatCsvLines, type CsvCell } from '../../platform/lib/csv.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import type { PageContext } from '../frame/context.ts'
import { text, type Translation } from '../frame/words/translation.ts'
import { CALL_FILTERS } from './filters.ts'
import { scoreFilterLabel } from './filters/ranges.ts'

/** Spreadsheets limit a cell to 32,767 characters and cut longer text or spread it over other rows. */
const MAX_CELL_CHARACTERS = 32_000

/**
 * Streams an export as CSV for people. @param exportUrl API path of the export as JSON lines @throws ApiError,
 * ApiUnavailableError
 */
export async function sendCallTable({ ctx, api, language, panel }: PageContext, exportUrl: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const { headers, body } = await api.fetchStream(method, exportUrl, {})
  const t = language.words.recordings.table
  const day = language.format.dayOf(new Date().toISOString())
  // A HEAD response has no body, so the body of the export is discarded.
  if (method === 'HEAD') body.resume()
  else {
    const lines = formatCallTableCsv(body, language, `${ctx.protocol}://${ctx.host}`, panel.config.APP_TIMEZONE)
    ctx.body = Readable.from(lines, { objectMode: false, highWaterMark: 128 * 1024 })
  }
  ctx.compress = false
  ctx.type = 'text/csv; charset=utf-8'
  ctx.attachment(`${t.fileName}-${day}.csv`)
  for (const name of ['x-transcripts-matching', 'x-transcripts-exported']) {
    if (headers[name] !== undefined) ctx.set(name, String(headers[name]))
  }
}

/** Converts JSON lines of calls to CSV in the person's language, as a stream. @param origin address of the panel for the links */
export async function* formatCallTableCsv(
  jsonLines: AsyncIterable<Buffer>,
  language: Language,
  origin: string,
  timeZone: string,
): AsyncGenerator<Buffer> {
  const { separator } = language.words.recordings.table
  const titles = COLUMNS.map(([title]) => title[language.code])
  yield formatCsvLines([[`${titles[0]} (${timeZone})`, ...titles.slice(1)]], { bom: true, separator })
  for await (const lines of splitLines(jsonLines)) {
    const calls = lines.map((line) => JSON.parse(line) as RecordingJson)
    const rows = calls.map((call) => COLUMNS.map(([, cell]) => cell(call, language, `${origin}/recordings/${call.id}`)))
    yield formatCsvLines(rows, { separator, spreadsheet: true })
  }
}

/** Yields the lines that each chunk completes. A long transcript spans many chunks. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(lines.shift()!)
    if (lines.length === 0) continue
    const last = lines.pop()!
    yield [parts.join(''), ...lines]
    parts = [last]
  }
  if (parts.some(Boolean)) yield [parts.join('')]
}

/** Title and cell of each column. Null becomes an empty cell. */
const COLUMNS: [
  title: Translation<string>,
  cell: (call: RecordingJson, language: Language, link: string) => CsvCell,
][] = [
  [
    text('Call time', 'Время звонка'),
    ({ callStartedAt, createdAt }, { words, format }) => ({
      value: words.recordings.table.time(format.localTime(callStartedAt ?? createdAt)),
    }),
  ],
  [CALL_FILTERS.direction.label, ({ direction }, { words }) => direction && words.recordings.direction[direction]],
  [CALL_FILTERS.phone.label, ({ phoneNumber }) => phoneNumber],
  [CALL_FILTERS.manager.label, ({ managerName }) => managerName],
  [CALL_FILTERS.department.label, ({ department }) => department?.name],
  [
    text('Duration', 'Длительность'),
    ({ durationSeconds }) => (durationSeconds === null ? null : { value: formatLength(durationSeconds) }),
  ],
  [scoreFilterLabel, (call) => (call.score === null || call.scoreIsMock ? null : Math.round(call.score))],
  [CALL_FILTERS.source.label, ({ source }, { words }) => words.recordings.source[source]],
  [CALL_FILTERS.externalCallId.label, ({ externalCallId }) => externalCallId],
  [text('File', 'Файл'), ({ fileName }) => fileName],
  [text('Link', 'Ссылка'), (_, __, link) => link],
  [
    text('Transcript', 'Расшифровка'),
    ({ transcript }, { words }, link) => truncateText(transcript?.text ?? '', words, link),
  ],
]

const truncateText = (text: string, { recordings }: Language['words'], link: string): string =>
  text.length > MAX_CELL_CHARACTERS
    ? `${text.slice(0, MAX_CELL_CHARACTERS).toWellFormed()}… ${recordings.table.rest(link)}`
    : text

/** Formats seconds as 0:04:12, because a spreadsheet would read 4:12 as hours and minutes. */
function formatLength(seconds: number): string {
  const wholeSeconds = Math.floor(seconds)
  const padTwoDigits = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(wholeSeconds / 3600)}:${padTwoDigits(Math.floor(wholeSeconds / 60) % 60)}:${padTwoDigits(wholeSeconds % 60)}`
}
