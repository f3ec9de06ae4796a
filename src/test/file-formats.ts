import { expect } from 'chai'
import { inflateRawSync } from 'node:zlib'

/**
 * Parses CSV as in RFC 4180.
 * @returns the cells of each line
 * @throws AssertionError if the text is invalid or its last line has no line break
 */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]]
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy
  for (let match; (match = cell.exec(text)) && cell.lastIndex <= text.length;) {
    lines.at(-1)!.push(match[1]!.startsWith('"') ? match[1]!.slice(1, -1).replaceAll('""', '"') : match[1]!)
    if (match[2] === '\r\n') lines.push([])
    if (match[2] === '') break
  }
  expect(cell.lastIndex === 0 || cell.lastIndex === text.length, 'all of it is CSV').to.equal(true)
  expect(lines.pop(), 'the last line is ended').to.deep.equal([''])
  return lines
}

/**
 * Parses a zip file by its local headers.
 * @returns name and content of the entries in their order
 */
export function parseZip(zip: Buffer): [name: string, content: string][] {
  const entries: [string, string][] = []
  for (let offset = 0; zip.readUInt32LE(offset) === 0x04034b50;) {
    const [packed, nameLength] = [zip.readUInt32LE(offset + 18), zip.readUInt16LE(offset + 26)]
    const start = offset + 30 + nameLength
    entries.push([
      zip.subarray(offset + 30, start).toString(),
      inflateRawSync(zip.subarray(start, start + packed)).toString(),
    ])
    offset = start + packed
  }
  return entries
}
