import { constants, crc32, deflateRawSync } from 'node:zlib'

const [LOCAL_HEADER, CENTRAL_HEADER, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const ZIP_VERSION = 20
const UNIX_HOST = 3 << 8
const UTF8_NAMES_FLAG = 0x0800
const DEFLATE_METHOD = 8
const PLAIN_FILE_ATTRIBUTES = (0o100644 << 16) >>> 0
/** The range of dates that a zip can store. */
const [FIRST_DATE, LAST_DATE] = [Date.UTC(1980, 0, 1), Date.UTC(2107, 11, 31, 23, 59, 59)]

/** The content of a file in a zip, compressed part by part. The last part needs `isLast`. */
export class ZipFileContent {
  size = 0
  crc = 0
  readonly deflated: Buffer[] = []

  /** Compresses and adds a part. Small tables suffice for parts of some KB; zlib allocates them in 30 µs instead of 73 µs. */
  add(part: Buffer, { isLast = false } = {}): this {
    this.size += part.length
    this.crc = crc32(part, this.crc)
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
    const chunkSize = Math.max(256, part.length)
    this.deflated.push(deflateRawSync(part, { level: 1, memLevel: 6, windowBits: 13, chunkSize, finishFlush }))
    return this
  }
}

/**
 * Writes a zip of less than 65,536 files and 4 GB (PKWARE APPNOTE 6.3). We use no library, because those we tried need more time
 * or memory.
 */
export class ZipWriter {
  private directory = Buffer.allocUnsafeSlow(64 * 1024)
  private directoryBytes = 0
  private count = 0
  private offset = 0

  /**
   * Adds a file.
   * @returns the bytes to write, which are the header and the compressed content
   */
  addFile(name: string, modifiedAt: Date, { size, crc, deflated }: ZipFileContent): Buffer {
    const nameBytes = Buffer.from(name)
    const data = Buffer.concat(deflated)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(ZIP_VERSION, 0)
    fields.writeUInt16LE(UTF8_NAMES_FLAG, 2)
    fields.writeUInt16LE(DEFLATE_METHOD, 4)
    fields.writeUInt32LE(toDosTime(modifiedAt), 6)
    fields.writeUInt32LE(crc, 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(nameBytes.length, 22)
    const directoryFields = Buffer.alloc(14) // The file has no comment and is on the first disk.
    directoryFields.writeUInt32LE(PLAIN_FILE_ATTRIBUTES, 6)
    directoryFields.writeUInt32LE(this.offset, 10)
    this.addDirectoryEntry(
      Buffer.concat([
        encodeUint32(CENTRAL_HEADER),
        encodeUint16(UNIX_HOST + ZIP_VERSION),
        fields,
        directoryFields,
        nameBytes,
      ]),
    )
    const entry = Buffer.concat([encodeUint32(LOCAL_HEADER), fields, nameBytes, data])
    this.offset += entry.length
    return entry
  }

  /**
   * Ends the zip.
   * @returns the bytes of the central directory
   */
  end(): Buffer {
    const directory = this.directory.subarray(0, this.directoryBytes)
    const count = encodeUint16(this.count)
    const directoryLocation = [encodeUint32(directory.length), encodeUint32(this.offset)]
    return Buffer.concat([
      directory,
      encodeUint32(END),
      encodeUint32(0),
      count,
      count,
      ...directoryLocation,
      encodeUint16(0),
    ])
  }

  /** Copies an entry to one large buffer, because each small Buffer would keep 8 KB of Node's pool in memory. */
  private addDirectoryEntry(line: Buffer): void {
    const needed = this.directoryBytes + line.length
    if (needed > this.directory.length) {
      this.directory = Buffer.concat([this.directory, Buffer.allocUnsafeSlow(this.directory.length)])
    }
    line.copy(this.directory, this.directoryBytes)
    this.directoryBytes = needed
    this.count++
  }
}

function toDosTime(moment: Date): number {
  const time = new Date(Math.min(LAST_DATE, Math.max(FIRST_DATE, moment.getTime())))
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return date * 0x10000 + clock
}

function encodeUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
