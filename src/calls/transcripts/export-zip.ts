import { csvLines, CsvWriter } from '../../platform/lib/csv.ts'
import { dayTeller } from '../../platform/lib/time.ts'
import type { CopiedRows } from './copy.ts'
import { CELL_NAMES, placeIn, placeOf, writeCells } from './export-cells.ts'
import { Packer } from './packer.ts'
import { timeAt } from './snapshot.ts'
import { GatheredFile, ZipWriter, type NamedFile } from './zip.ts'

/** So many groups of files are compressed, or wait for the client, while others are read. */
const AHEAD = 3
const LINE_END = Buffer.from('\n')
/** About so many a line of the index has. */
const LINE_BYTES = 300

/** A zip of one .txt for each row, and an index.csv of all of them. */
export async function* writeZip(
  batches: AsyncIterable<CopiedRows>,
  { timeZone, spreadsheet }: { timeZone: string; spreadsheet: boolean },
): AsyncGenerator<Buffer> {
  const zip = new ZipWriter()
  const dayOfCall = dayTeller(timeZone)
  const index = new GatheredFile()
  await index.add(csvLines([['file', ...CELL_NAMES]], { bom: true }))
  const packer = new Packer()
  try {
    // Some files are compressed while the next ones are read.
    const packing: Promise<Buffer>[] = []
    for await (const rows of batches) {
      const packed = packer.pack(textsOf(rows), LINE_END)
      const files = filesOf(rows, dayOfCall)
      const written = packed.then((contents) => zip.add(files, contents))
      written.catch(() => undefined) // it is waited for with later files
      packing.push(written)
      await index.add(linesOf(rows, files, spreadsheet))
      if (packing.length > AHEAD) yield await packing.shift()!
    }
    while (packing.length > 0) yield await packing.shift()!
    yield zip.add([{ name: 'index.csv', modifiedAt: new Date() }], [await index.end()])
    yield zip.end()
  } finally {
    await packer.close()
  }
}

const EMPTY = Buffer.alloc(0)
const [ID, STARTED, CREATED, PHONE, TEXT] = (['id', 'callStartedAt', 'createdAt', 'phoneNumber', 'text'] as const).map(
  placeIn,
) as [number, number, number, number, number]

function textsOf({ count, bytes, places }: CopiedRows): Buffer[] {
  return Array.from({ length: count }, (_, row) => {
    const at = placeOf(row) + TEXT
    return places[at]! < 0 ? EMPTY : bytes.subarray(places[at], places[at + 1])
  })
}

/** They are named {date}_{phone or id}_{id}.txt, in characters that every file system takes. */
function filesOf({ count, bytes, places }: CopiedRows, dayOfCall: (moment: Date) => string): NamedFile[] {
  return Array.from({ length: count }, (_, row) => {
    const at = placeOf(row)
    const textOf = (field: number) => bytes.toString('utf8', places[at + field], places[at + field + 1])
    const modifiedAt = new Date(timeAt(bytes, places[at + (places[at + STARTED]! < 0 ? CREATED : STARTED)]!))
    const id = textOf(ID)
    const phone = places[at + PHONE]! < 0 ? '' : textOf(PHONE).replace(/[^0-9A-Za-z+]+/g, '-').replace(/^-+|-+$/g, '') // prettier-ignore
    return { name: `${dayOfCall(modifiedAt)}_${phone || id}_${id}.txt`, modifiedAt }
  })
}

/** Their lines of the index. */
function linesOf(rows: CopiedRows, files: NamedFile[], spreadsheet: boolean): Buffer {
  const csv = new CsvWriter({ spreadsheet, size: rows.count * LINE_BYTES })
  for (const [row, { name }] of files.entries()) {
    csv.cell(name)
    writeCells(csv, rows, row)
    csv.endLine()
  }
  return csv.take()
}
