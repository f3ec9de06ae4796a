import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseZip } from '../../test/file-formats.ts'
import { ZipFileContent, ZipWriter } from './zip.ts'

/** Programs that can test a zip file, with their arguments. */
const ZIP_PROGRAMS = {
  unzip: ['-tq'],
  python3: ['-c', 'import sys, zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None'],
  bsdtar: ['-xOf'],
}

/** Tests a zip with other programs, if this machine has them. */
function testWithOtherPrograms(zip: Buffer): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-zip-'))
  const path = join(folder, 'test.zip')
  writeFileSync(path, zip)
  try {
    for (const [program, options] of Object.entries(ZIP_PROGRAMS)) {
      try {
        execFileSync(program, [...options, path], { stdio: ['ignore', 'ignore', 'pipe'] })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const createZipContent = (text: string): ZipFileContent => new ZipFileContent().add(Buffer.from(text), { isLast: true })

describe('ZipWriter', () => {
  const when = new Date('2026-03-01T10:20:30Z')

  it('ZipWriter writes names and texts in UTF-8 that other programs can read', () => {
    const zip = new ZipWriter()
    const texts: [string, string][] = [['а.txt', 'текст'], ['empty.txt', ''], ['long.txt', 'слово '.repeat(100_000)]] // prettier-ignore
    const bytes = Buffer.concat([
      ...texts.map(([name, text]) => zip.addFile(name, when, createZipContent(text))),
      zip.end(),
    ])
    expect(parseZip(bytes)).to.deep.equal(texts)
    testWithOtherPrograms(bytes)
  })

  it('ZipWriter writes a file that was added in parts', () => {
    const zip = new ZipWriter()
    const content = new ZipFileContent()
    for (let n = 0; n < 100; n++) content.add(Buffer.from(`строка ${n}\n`))
    const bytes = Buffer.concat([
      zip.addFile('parts.txt', when, content.add(Buffer.alloc(0), { isLast: true })),
      zip.end(),
    ])
    expect(parseZip(bytes)[0]![1].split('\n')).to.have.length(101)
    testWithOtherPrograms(bytes)
  })

  it('ZipWriter clamps times to the range of the zip format', () => {
    const zip = new ZipWriter()
    const moments = ['1970-01-01T00:00:00Z', '1979-12-31T23:59:59Z', '2108-05-06T07:08:09Z', '9999-12-31T23:59:59Z']
    const entries = moments.map((moment, n) => zip.addFile(`${n}.txt`, new Date(moment), createZipContent('')))
    const first = (1 << 21) | (1 << 16)
    const last = ((127 << 25) | (12 << 21) | (31 << 16) | (23 << 11) | (59 << 5) | 29) >>> 0
    expect(entries.map((entry) => entry.readUInt32LE(10))).to.deep.equal([first, first, last, last])
    testWithOtherPrograms(Buffer.concat([...entries, zip.end()]))
  })
})
