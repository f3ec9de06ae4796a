import { Transform, type TransformCallback } from 'node:stream'
import { convertPartFileNameToUtf8 } from './content-disposition.ts'

/** The limit of the multipart parser. Longer headers pass unchanged, and the parser rejects them. */
const MAX_HEADER_BYTES = 16 * 1024
const LINE_END = Buffer.from('\r\n')
const HEADER_END = Buffer.from('\r\n\r\n')
const EMPTY_BUFFER = Buffer.alloc(0)

/** Converts each `filename*` of a multipart body to UTF-8, because multer decodes file names as UTF-8. */
export class MultipartHeaderConverter extends Transform {
  private readonly boundary: Buffer
  /**
   * Last bytes of the passed content, where a boundary can have begun. Initially a line end, because the first boundary has none
   * before it.
   */
  private tail: Buffer = LINE_END
  /** Received bytes of the current header; undefined outside a header. */
  private header: Buffer | undefined

  constructor(boundary: string) {
    super()
    this.boundary = Buffer.from(`\r\n--${boundary}\r\n`)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let remaining = chunk
    while (remaining.length > 0)
      remaining = this.header ? this.convertHeader(this.header, remaining) : this.passContent(remaining)
    done()
  }

  override _flush(done: TransformCallback): void {
    done(null, this.header)
  }

  /** Passes content up to a boundary. @returns the bytes after the boundary */
  private passContent(bytes: Buffer): Buffer {
    const end = this.findBoundaryEnd(bytes)
    if (end === undefined) {
      const tailStart = 1 - this.boundary.length
      this.tail = Buffer.concat([this.tail, bytes.subarray(tailStart)]).subarray(tailStart)
      this.push(bytes)
      return EMPTY_BUFFER
    }
    this.push(bytes.subarray(0, end))
    this.header = EMPTY_BUFFER
    return bytes.subarray(end)
  }

  private findBoundaryEnd(bytes: Buffer): number | undefined {
    const { length } = this.boundary
    const across = Buffer.concat([this.tail, bytes.subarray(0, length - 1)]).indexOf(this.boundary)
    if (across !== -1) return across + length - this.tail.length
    const within = bytes.indexOf(this.boundary)
    return within === -1 ? undefined : within + length
  }

  /** Collects and converts a header. @returns the bytes after the header */
  private convertHeader(before: Buffer, bytes: Buffer): Buffer {
    const header = before.length > 0 ? Buffer.concat([before, bytes]) : bytes
    const end = header.indexOf(HEADER_END) + HEADER_END.length
    const isComplete = end >= HEADER_END.length
    this.header = isComplete || header.length > MAX_HEADER_BYTES ? undefined : header
    if (this.header) return EMPTY_BUFFER
    this.tail = LINE_END
    if (!isComplete || end > MAX_HEADER_BYTES) this.push(header.subarray(0, isComplete ? end : undefined))
    else this.push(Buffer.from(convertPartFileNameToUtf8(header.toString('latin1', 0, end)), 'latin1'))
    return isComplete ? header.subarray(end) : EMPTY_BUFFER
  }
}
