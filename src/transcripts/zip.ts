import { promisify } from 'node:util'
import { crc32, createDeflateRaw, deflateRaw, deflateRawSync, type DeflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** Bytes that are compressed within a millisecond: handing them to another thread takes longer. */
const SMALL = 32 * 1024
/**
 * What zlib sets up for each of them is most of its work on a text of 1 KB: with these tables it takes 30 µs instead of
 * 73, and the text becomes 34 % of its size instead of 31 %.
 */
const FOR_SMALL = { level: 1, memLevel: 6, windowBits: 13 }

const UTF8_NAMES = 0x0800
const DEFLATED = 8
const VERSION = 20
const VERSION_ZIP64 = 45
const MADE_BY_UNIX = 3 << 8
/** A file that its owner may write and all may read, as Unix writes it: -rw-r--r--. */
const PLAIN_FILE = (0o100644 << 16) >>> 0
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff

interface Entry {
  name: Buffer
  modifiedAt: Date
  crc: number
  packedSize: number
  size: number
}

/**
 * Writes a zip (PKWARE APPNOTE 6.3) piece by piece: the bytes that each method answers, one after the other, are the
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

  /** Whole files, compressed side by side; their bytes in the zip. */
  async files(files: { name: string; content: Buffer; modifiedAt: Date }[]): Promise<Buffer> {
    const packed = await Promise.all(files.map(({ content }) => pack(content)))
    return Buffer.concat(
      files.flatMap(({ name, modifiedAt }, n) => {
        const { bytes, crc, size } = packed[n]!
        const entry = { name: Buffer.from(name), modifiedAt, crc, size, packedSize: bytes.length }
        return [this.header(entry), bytes]
      }),
    )
  }

  /** A file that was gathered while others were written. */
  async gathered(name: string, modifiedAt: Date, file: GatheredFile): Promise<Buffer> {
    const { bytes, crc, size } = await file.end()
    const header = this.header({ name: Buffer.from(name), modifiedAt, crc, size, packedSize: bytes.length })
    return Buffer.concat([header, bytes])
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

  /** Notes an entry for the directory; returns what stands before its bytes. */
  private header(entry: Entry): Buffer {
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    writeCommon(local.subarray(4), entry, VERSION)
    this.directory.push(directoryEntry(entry, this.offset))
    this.entries++
    this.offset += local.length + entry.name.length + entry.packedSize
    return Buffer.concat([local, entry.name])
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

async function pack(plain: Buffer): Promise<{ bytes: Buffer; crc: number; size: number }> {
  const bytes = plain.length <= SMALL ? deflateRawSync(plain, FOR_SMALL) : await deflate(plain)
  return { bytes, crc: crc32(plain), size: plain.length }
}

/** A file that grows while other entries of the zip are written; only its compressed bytes are kept. */
export class GatheredFile {
  private readonly stream: DeflateRaw = createDeflateRaw()
  private readonly chunks: Buffer[] = []
  private crc = 0
  private size = 0

  constructor() {
    this.stream.on('data', (chunk: Buffer) => this.chunks.push(chunk))
  }

  async add(content: string | Buffer): Promise<void> {
    const plain = Buffer.from(content as string)
    this.crc = crc32(plain, this.crc)
    this.size += plain.length
    await new Promise<void>((resolve, reject) =>
      this.stream.write(plain, (error) => (error ? reject(error) : resolve())),
    )
  }

  async end(): Promise<{ bytes: Buffer; crc: number; size: number }> {
    const ended = new Promise((resolve, reject) => this.stream.once('end', resolve).once('error', reject))
    this.stream.end()
    await ended
    return { bytes: Buffer.concat(this.chunks), crc: this.crc, size: this.size }
  }
}

/** The fields that an entry and its line of the directory share, from the needed version on. */
function writeCommon(target: Buffer, { name, modifiedAt, crc, packedSize, size }: Entry, version: number): void {
  target.writeUInt16LE(version, 0)
  target.writeUInt16LE(UTF8_NAMES, 2)
  target.writeUInt16LE(DEFLATED, 4)
  target.writeUInt32LE(dosTime(modifiedAt), 6)
  target.writeUInt32LE(crc, 10)
  target.writeUInt32LE(packedSize, 14)
  target.writeUInt32LE(size, 18)
  target.writeUInt16LE(name.length, 22)
}

function directoryEntry(entry: Entry, offset: number): Buffer {
  const far = offset >= MAX_32
  const line = Buffer.alloc(46)
  const extra = Buffer.alloc(far ? 12 : 0)
  line.writeUInt32LE(0x02014b50, 0)
  line.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 4)
  writeCommon(line.subarray(6), entry, far ? VERSION_ZIP64 : VERSION)
  line.writeUInt16LE(extra.length, 30)
  line.writeUInt32LE(PLAIN_FILE, 38)
  line.writeUInt32LE(Math.min(offset, MAX_32), 42)
  if (far) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(offset), 4)
  }
  return Buffer.concat([line, entry.name, extra])
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
