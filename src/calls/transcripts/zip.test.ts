import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { crc32, inflateRawSync } from 'node:zlib'
import { pack } from './pack.ts'
import { GatheredFile, ZipWriter } from './zip.ts'

/**
 * Reads a zip as a reader does: the directory from the end, then the entries where the directory says they lie: the
 * first and the last two, and each `every`th between them.
 */
function readZip(path: string, every = 1): Map<string, string> {
  const handle = openSync(path, 'r')
  const read = (at: number, length: number) => {
    const bytes = Buffer.alloc(length)
    readSync(handle, bytes, 0, length, at)
    return bytes
  }
  const size = statSync(path).size
  const end = read(size - 22, 22)
  expect(end.readUInt32LE(0)).to.equal(0x06054b50)
  let count = end.readUInt16LE(10)
  let at = end.readUInt32LE(16)
  if (at === 0xffffffff || count === 0xffff) {
    const locator = read(size - 42, 20)
    expect(locator.readUInt32LE(0)).to.equal(0x07064b50)
    const record = read(Number(locator.readBigUInt64LE(8)), 56)
    expect(record.readUInt32LE(0)).to.equal(0x06064b50)
    count = Number(record.readBigUInt64LE(32))
    at = Number(record.readBigUInt64LE(48))
  }
  const files = new Map<string, string>()
  for (let n = 0; n < count; n++) {
    const line = read(at, 46)
    // Chai takes longer than the reading itself where there are tens of thousands of entries.
    if (line.readUInt32LE(0) !== 0x02014b50) throw new Error(`entry ${n} has no line in the directory`)
    const [nameLength, extraLength] = [line.readUInt16LE(28), line.readUInt16LE(30)]
    const name = read(at + 46, nameLength).toString()
    const extra = read(at + 46 + nameLength, extraLength)
    at += 46 + nameLength + extraLength
    if (n % every > 0 && n < count - 2) {
      files.set(name, '')
      continue
    }
    const offset = line.readUInt32LE(42) === 0xffffffff ? Number(extra.readBigUInt64LE(4)) : line.readUInt32LE(42)
    const local = read(offset, 30 + nameLength)
    if (local.subarray(30).toString() !== name) throw new Error(`${name} is named otherwise where it lies`)
    if (!local.subarray(6, 26).equals(line.subarray(8, 28))) throw new Error(`${name} has two different headers`)
    const content = inflateRawSync(read(offset + 30 + nameLength, line.readUInt32LE(20)))
    if (crc32(content) !== line.readUInt32LE(16)) throw new Error(`${name} has another checksum`)
    if (content.length !== line.readUInt32LE(24)) throw new Error(`${name} has another length`)
    files.set(name, content.toString())
  }
  closeSync(handle)
  return files
}

/** Programs that test a zip, by their arguments. */
const READERS = {
  unzip: ['-tq'],
  python3: ['-c', 'import sys, zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None'],
  bsdtar: ['-xOf'],
}

/** What other readers say, where this machine has them. */
function testedElsewhere(path: string, readers: (keyof typeof READERS)[] = ['unzip', 'python3', 'bsdtar']): void {
  for (const program of readers) {
    try {
      execFileSync(program, [...READERS[program], path], { stdio: ['ignore', 'ignore', 'pipe'] })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

describe('ZipWriter', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-zip-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const when = new Date('2026-03-01T10:20:30Z')
  const add = (zip: ZipWriter, files: [name: string, text: string, modifiedAt?: string][]) =>
    zip.add(
      files.map(([name, , moment]) => ({ name, modifiedAt: moment ? new Date(moment) : when })),
      files.map(([, text]) => pack(Buffer.from(text))),
    )

  async function write(offset: number, count: number): Promise<string> {
    const path = join(folder, `${offset}-${count}.zip`)
    const handle = openSync(path, 'w')
    let position = offset
    const append = (bytes: Buffer) => (position += writeSync(handle, bytes, 0, bytes.length, position))
    const zip = new ZipWriter(offset)
    const index = new GatheredFile()
    for (let n = 0; n < count; n += 1000) {
      const names = Array.from({ length: Math.min(1000, count - n) }, (_, i) => `звонок ${n + i}.txt`)
      append(
        add(
          zip,
          names.map((name) => [name, `Текст: ${name}\n`]),
        ),
      )
      await index.add(names.join('\n') + '\n')
    }
    append(zip.add([{ name: 'index.csv', modifiedAt: when }], [await index.end()]))
    append(zip.end())
    closeSync(handle)
    return path
  }

  it('writes what every reader opens: names and texts in UTF-8, also empty ones', async () => {
    const path = join(folder, 'plain.zip')
    const zip = new ZipWriter()
    const body = add(zip, [
      ['а.txt', 'текст'],
      ['empty.txt', ''],
      ['long.txt', 'слово '.repeat(100_000)],
    ])
    const handle = openSync(path, 'w')
    writeSync(handle, Buffer.concat([body, zip.end()]))
    closeSync(handle)
    expect([...readZip(path)].map(([name, text]) => [name, text.length])).to.deep.equal([
      ['а.txt', 5],
      ['empty.txt', 0],
      ['long.txt', 600_000],
    ])
    testedElsewhere(path)
  })

  it('writes the first or last time that a zip knows for what lies before or after', async () => {
    const path = join(folder, 'times.zip')
    const zip = new ZipWriter()
    const moments = ['1970-01-01T00:00:00Z', '1979-12-31T23:59:59Z', '2108-05-06T07:08:09Z', '9999-12-31T23:59:59Z']
    const body = add(
      zip,
      moments.map((moment, n) => [`${n}.txt`, '', moment]),
    )
    const bytes = Buffer.concat([body, zip.end()])
    writeFileSync(path, bytes)
    const headers = moments.map((_, n) => bytes.indexOf(`${n}.txt`) - 30)
    const first = (1 << 21) | (1 << 16)
    const last = ((127 << 25) | (12 << 21) | (31 << 16) | (23 << 11) | (59 << 5) | 29) >>> 0
    expect(headers.map((offset) => bytes.readUInt32LE(offset + 10))).to.deep.equal([first, first, last, last])
    testedElsewhere(path)
  })

  it('writes more than 65,535 entries', async () => {
    const path = await write(0, 66_000)
    const files = readZip(path, 100)
    expect(files.size).to.equal(66_001)
    expect(files.get('звонок 65999.txt')).to.equal('Текст: звонок 65999.txt\n')
    expect(files.get('index.csv')!.split('\n')).to.have.length(66_001)
    testedElsewhere(path, ['unzip'])
  })

  it('writes entries that lie beyond 4 GB', async () => {
    const path = await write(5 * 1024 ** 3, 3)
    const files = readZip(path)
    expect([...files.keys()]).to.deep.equal(['звонок 0.txt', 'звонок 1.txt', 'звонок 2.txt', 'index.csv'])
    testedElsewhere(path)
  })
})
