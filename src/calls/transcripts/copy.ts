import pg from 'pg'
import { to } from 'pg-copy-streams'

/** Rows of COPY that arrived together. */
export interface CopiedRows {
  count: number
  bytes: Buffer
  /** Where each field begins and ends in the bytes, row after row; a field without a value begins at -1. */
  places: number[]
}

/** Signature, flags and length of the header's extension: https://www.postgresql.org/docs/current/sql-copy.html */
const HEADER_BYTES = 19
const COUNT_BYTES = 2
const LENGTH_BYTES = 4
/** Where the number of fields would stand, after the last row. */
const END = -1

/** Fewer rows are not worth the turn that each lot of them takes through this process and to the client. */
const TOGETHER = 128 * 1024

/**
 * Rows of a statement, which may have no parameters, as they arrive: some at a time. Nothing is decoded or taken apart on the
 * way, so it is the quickest way of much text through this process. The statement is sent at once, or as soon as the one
 * before it has ended; as much is read as is asked for.
 */
export function copyRows(client: pg.Client, statement: string): AsyncGenerator<CopiedRows> {
  const stream = client.query(to(`COPY (${statement}) TO STDOUT WITH (FORMAT binary)`, { highWaterMark: TOGETHER }))
  stream.on('error', () => undefined) // of a connection that is cut when nobody reads any more
  return rowsOf(stream)
}

async function* rowsOf(stream: AsyncIterable<Buffer>): AsyncGenerator<CopiedRows> {
  let parts: Buffer[] = []
  let have = 0
  let needed = TOGETHER
  let start = HEADER_BYTES
  const wholeRows = () => {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, have)
    const { rows, end, lacks } = splitRows(bytes, start)
    start = 0
    parts = [bytes.subarray(end)]
    have = bytes.length - end
    needed = Math.max(TOGETHER, have + lacks)
    return rows
  }
  for await (const part of stream) {
    parts.push(part)
    have += part.length
    if (have >= needed) yield wholeRows()
  }
  const last = wholeRows()
  if (last.count > 0) yield last
}

/** @returns the whole rows from `start`, where they end, and how many bytes at least the next row lacks */
function splitRows(bytes: Buffer, start: number): { rows: CopiedRows; end: number; lacks: number } {
  const places: number[] = []
  const rows = { count: 0, bytes, places }
  for (let end = start; ;) {
    const known = places.length
    const after = readRow(bytes, end, places)
    if (after > bytes.length) {
      places.length = known
      return { rows, end, lacks: after - bytes.length }
    }
    if (places.length > known) rows.count++
    end = after
  }
}

/** Adds the places of a row's fields. @returns where it ends, or would at least, where that is beyond the bytes */
function readRow(bytes: Buffer, start: number, places: number[]): number {
  let at = start + COUNT_BYTES
  if (at > bytes.length) return at
  const count = bytes.readInt16BE(start)
  if (count === END) return at
  for (let n = 0; n < count; n++) {
    if (at + LENGTH_BYTES > bytes.length) return at + LENGTH_BYTES
    const length = bytes.readInt32BE(at)
    at += LENGTH_BYTES
    if (length < 0) places.push(-1, -1)
    else places.push(at, (at += length))
    if (at > bytes.length) return at
  }
  return at
}
