import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'
import type { Packed } from './pack.ts'

const UTF8_NAMES = 0x0800
const DEFLATED = 8
const VERSION = 20
const VERSION_ZIP64 = 45
const MADE_BY_UNIX = 3 << 8
/** A file that its owner may write and all may read, as Unix writes it: -rw-r--r--. */
const PLAIN_FILE = (0o100644 << 16) >>> 0
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff

/** A file of the zip, besides its content. */
export interface NamedFile {
  name: string
  modifiedAt: Date
}

/**
 * Writes a zip (PKWARE APPNOTE 6.3) piece by piece: the bytes that each method returns, one after the other, are the
 * file. What stays in memory is the directory, some 100 bytes an entry. An entry lies in memory whole and must be
 * smaller than 4 GB; the file may be larger (zip64).
 *
 * Written here, because no library takes ready compressed bytes as fast. Processor time for 20,000 texts of 2 KB: 1.6 s
 * here, archiver 6.2 s (and 300 MB more at the end of 50,000), yazl 11 s, zip.js 35 s.
 */
export class ZipWriter {
  private readonly directory: Buffer[] = []
  private entries = 0
  private offset: number

  /** @param offset what stands before the zip in the file */
  constructor(offset = 0) {
    this.offset = offset
  }

  /** Takes files and what they hold; returns their bytes. One buffer for all of them: small ones cost more than what they hold. */
  add(files: NamedFile[], contents: Packed[]): Buffer {
    const names = files.reduce((sum, { name }) => sum + MOST_OF_A_LETTER * name.length, 0)
    const packed = contents.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const entries = Buffer.allocUnsafeSlow(files.length * LOCAL_BYTES + names + packed)
    const lines = Buffer.allocUnsafeSlow(files.length * (LINE_BYTES + FAR_BYTES) + names)
    let [at, end] = [0, 0]
    for (const [n, file] of files.entries()) {
      const [from, nameLength] = [at, entries.write(file.name, at + LOCAL_BYTES)]
      at = writeEntry(entries, at, file, nameLength, contents[n]!)
      end = writeLine(lines, end, entries.subarray(from, from + LOCAL_BYTES + nameLength), this.offset + from)
    }
    this.directory.push(Buffer.from(lines.subarray(0, end)))
    this.entries += files.length
    this.offset += at
    return entries.subarray(0, at)
  }

  end(): Buffer {
    const size = this.directory.reduce((sum, { length }) => sum + length, 0)
    const large = this.entries >= MAX_16 || size >= MAX_32 || this.offset >= MAX_32
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(Math.min(this.entries, MAX_16), 8)
    end.writeUInt16LE(Math.min(this.entries, MAX_16), 10)
    end.writeUInt32LE(Math.min(size, MAX_32), 12)
    end.writeUInt32LE(Math.min(this.offset, MAX_32), 16)
    return Buffer.concat([...this.directory, ...(large ? [this.end64(size)] : []), end])
  }

  /** Record and locator for what the 32 bits of the usual end cannot say. */
  private end64(size: number): Buffer {
    const record = Buffer.alloc(56)
    record.writeUInt32LE(0x06064b50, 0)
    record.writeBigUInt64LE(44n, 4)
    record.writeUInt16LE(VERSION_ZIP64, 12)
    record.writeUInt16LE(VERSION_ZIP64, 14)
    record.writeBigUInt64LE(BigInt(this.entries), 24)
    record.writeBigUInt64LE(BigInt(this.entries), 32)
    record.writeBigUInt64LE(BigInt(size), 40)
    record.writeBigUInt64LE(BigInt(this.offset), 48)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(BigInt(this.offset + size), 8)
    locator.writeUInt32LE(1, 16)
    return Buffer.concat([record, locator])
  }
}

/** To hand a few lines over to the compressing thread costs more than to compress them. */
const COMPRESSED_TOGETHER = 256 * 1024

/** A file that grows while other entries of the zip are written; only its compressed bytes are kept. */
export class GatheredFile {
  /** The quickest level: it takes processor time from what makes the other entries, which are most of the zip. */
  private readonly stream: DeflateRaw = createDeflateRaw({ level: 1 })
  private readonly chunks: Buffer[] = []
  private readonly waiting: Buffer[] = []
  private waitingBytes = 0
  private crc = 0
  private size = 0

  constructor() {
    this.stream.on('data', (chunk: Buffer) => this.chunks.push(chunk))
  }

  async add(content: string | Buffer): Promise<void> {
    const plain = Buffer.from(content as string)
    this.crc = crc32(plain, this.crc)
    this.size += plain.length
    this.waiting.push(plain)
    this.waitingBytes += plain.length
    if (this.waitingBytes >= COMPRESSED_TOGETHER) await this.compress()
  }

  private async compress(): Promise<void> {
    const plain = Buffer.concat(this.waiting.splice(0))
    this.waitingBytes = 0
    await new Promise<void>((resolve, reject) =>
      this.stream.write(plain, (error) => (error ? reject(error) : resolve())),
    )
  }

  async end(): Promise<Packed> {
    await this.compress()
    const ended = new Promise((resolve, reject) => this.stream.once('end', resolve).once('error', reject))
    this.stream.end()
    await ended
    return { bytes: Buffer.concat(this.chunks), crc: this.crc, size: this.size }
  }
}

/** What stands before a name, in the file and in the directory, and behind it where the entry lies beyond 4 GB. */
const [LOCAL_BYTES, LINE_BYTES, FAR_BYTES] = [30, 46, 12]
/** In UTF-8, of what counts as one in JavaScript. */
const MOST_OF_A_LETTER = 3
/** The fields that an entry and its line of the directory share, from the needed version on: where they lie in an entry. */
const [SHARED, SHARED_END] = [4, 28]

/** The name is there already. @returns where the entry ends */
function writeEntry(target: Buffer, at: number, file: NamedFile, nameLength: number, content: Packed): number {
  target.writeUInt32LE(0x04034b50, at)
  target.writeUInt16LE(VERSION, at + 4)
  target.writeUInt16LE(UTF8_NAMES, at + 6)
  target.writeUInt16LE(DEFLATED, at + 8)
  target.writeUInt32LE(dosTime(file.modifiedAt), at + 10)
  target.writeUInt32LE(content.crc, at + 14)
  target.writeUInt32LE(content.bytes.length, at + 18)
  target.writeUInt32LE(content.size, at + 22)
  target.writeUInt16LE(nameLength, at + 26)
  target.writeUInt16LE(0, at + 28)
  const start = at + LOCAL_BYTES + nameLength
  target.set(content.bytes, start)
  return start + content.bytes.length
}

/** @param head of the entry, with its name @returns where the line ends */
function writeLine(target: Buffer, at: number, head: Buffer, offset: number): number {
  const far = offset >= MAX_32
  const end = at + LINE_BYTES + head.length - LOCAL_BYTES
  target.fill(0, at, at + LINE_BYTES)
  target.writeUInt32LE(0x02014b50, at)
  target.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, at + 4)
  head.copy(target, at + 6, SHARED, SHARED_END)
  if (far) target.writeUInt16LE(VERSION_ZIP64, at + 6)
  target.writeUInt16LE(far ? FAR_BYTES : 0, at + 30)
  target.writeUInt32LE(PLAIN_FILE, at + 38)
  target.writeUInt32LE(Math.min(offset, MAX_32), at + 42)
  head.copy(target, at + LINE_BYTES, LOCAL_BYTES)
  if (!far) return end
  target.writeUInt16LE(1, end)
  target.writeUInt16LE(8, end + 2)
  target.writeBigUInt64LE(BigInt(offset), end + 4)
  return end + FAR_BYTES
}

const FIRST_DOS_TIME = Date.UTC(1980, 0, 1)
const LAST_DOS_TIME = Date.UTC(2107, 11, 31, 23, 59, 58)

/** Two seconds exact, from 1980 to 2107, without a time zone: UTC here. */
function dosTime(moment: Date): number {
  const at = new Date(Math.min(Math.max(moment.getTime(), FIRST_DOS_TIME), LAST_DOS_TIME))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
