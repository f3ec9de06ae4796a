import { expect } from 'chai'
import { unzipSync } from 'fflate'

/** Reads CSV by RFC 4180. */
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

/** The entries of a zip in their order. */
export const entriesOf = (zip: Buffer): [name: string, content: string][] =>
  Object.entries(unzipSync(zip)).map(([name, content]) => [name, Buffer.from(content).toString()])
