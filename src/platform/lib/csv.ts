import { IsoTimes } from './iso-times.ts'
import { isNumberLike } from './number-like.ts'

/** A text that the spreadsheet should convert, such as a time: it gets no apostrophe. */
export interface Value {
  value: string
}

/** A cell: text, a number, or nothing. */
export type Cell = string | number | Value | null | undefined

const QUOTE = 0x22
const APOSTROPHE = 0x27
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const POINT = 0x2e
/** 1 for bytes that begin a formula. */
const FORMULA = tableOf(Buffer.from('=+-@\t\r'))
/** The wide forms of East Asia, ＝ ＋ － ＠: two bytes that they share, and the third. */
const WIDE = [0xef, 0xbc]
const WIDE_FORMULA = tableOf([0x9d, 0x8b, 0x8d, 0xa0])

const EMPTY = Buffer.alloc(0)
const BOM = Buffer.from('\ufeff')

/** A cell of so many bytes is copied quicker as a whole than byte by byte. */
const LONG = 100
/** The most that the digits of a time and its quotes take. */
const TIME_BYTES = 32

/** Formats lines as in RFC 4180. */
export function csvLines(lines: Cell[][], options: CsvOptions = {}): Buffer {
  const writer = new CsvWriter(options)
  for (const line of lines) {
    for (const cell of line) writer.cell(cell)
    writer.endLine()
  }
  return writer.take()
}

export interface CsvOptions {
  bom?: boolean
  separator?: string
  /** For people: text that a spreadsheet would change into a number or a date also gets an apostrophe. */
  spreadsheet?: boolean
  /** Initial size of the buffer in bytes; it grows if necessary. */
  size?: number
}

/**
 * Writes lines of RFC 4180, with another separator where one is given. A cell that a spreadsheet would take for a formula
 * gets an apostrophe before it, phone numbers with their plus too: so they stay text, digit by digit, where a number would
 * lose its plus and its last digits.
 *
 * Written here, because what comes as bytes stays bytes: csv-stringify takes more than six times the processor time.
 */
export class CsvWriter {
  private readonly separator: number
  private readonly times = new IsoTimes()
  private readonly size: number
  private readonly spreadsheet: boolean
  private bytes = EMPTY
  private at = 0
  private isFirst = true

  constructor({ bom = false, separator = ',', spreadsheet = false, size = 4096 }: CsvOptions = {}) {
    this.spreadsheet = spreadsheet
    this.separator = separator.charCodeAt(0)
    this.size = size
    if (!bom) return
    this.makeRoom(BOM.length)
    this.at = BOM.copy(this.bytes)
  }

  cell(value: Cell): void {
    if (typeof value === 'string') return this.text(Buffer.from(value))
    if (typeof value === 'object' && value !== null) return this.quote(Buffer.from(value.value), false)
    // Numbers of reports stay numbers, so that people can add them up.
    this.plain(value === null || value === undefined ? EMPTY : Buffer.from(String(value)))
  }

  /** A text in UTF-8: a part of some bytes. */
  text(source: Buffer, from = 0, to = source.length): void {
    this.quote(source, isFormula(source, from, to) || this.wouldChange(source, from, to), from, to)
  }

  private quote(source: Buffer, isProtected: boolean, from = 0, to = source.length): void {
    this.begin(2 * (to - from) + 4)
    const { bytes } = this
    let { at } = this
    bytes[at++] = QUOTE
    if (isProtected) bytes[at++] = APOSTROPHE
    const whole = to - from > LONG ? source.subarray(from, to) : undefined
    if (whole && !whole.includes(QUOTE)) {
      bytes.set(whole, at)
      at += to - from
    } else {
      for (let n = from; n < to; n++) {
        const byte = source[n]!
        if (byte === QUOTE) bytes[at++] = QUOTE
        bytes[at++] = byte
      }
    }
    bytes[at++] = QUOTE
    this.at = at
  }

  /** A time in milliseconds, as toISOString() writes it. */
  time(moment: number): void {
    this.begin(TIME_BYTES)
    this.bytes[this.at++] = QUOTE
    this.at = this.times.write(this.bytes, this.at, moment)
    this.bytes[this.at++] = QUOTE
  }

  /** A number as bytes, or nothing if there are none. With a point, some languages read it as a date. */
  bare(source: Buffer, from = 0, to = source.length): void {
    const point = this.spreadsheet ? source.indexOf(POINT, from) : -1
    if (point >= 0 && point < to) this.quote(source, true, from, to)
    else this.plain(source, from, to)
  }

  private plain(source: Buffer, from = 0, to = source.length): void {
    this.begin(to - from)
    for (let n = from; n < to; n++) this.bytes[this.at++] = source[n]!
  }

  endLine(): void {
    this.bytes[this.at++] = CARRIAGE_RETURN
    this.bytes[this.at++] = LINE_FEED
    this.isFirst = true
  }

  /** What was written since the last time; there may be no line half written. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at)
    this.bytes = EMPTY
    this.at = 0
    return taken
  }

  private wouldChange(source: Buffer, from: number, to: number): boolean {
    return this.spreadsheet && to - from <= LONG && isNumberLike(source.toString('utf8', from, to))
  }

  /** Begins a cell of at most so many bytes; the end of the line finds its room too. */
  private begin(most: number): void {
    this.makeRoom(this.at + most + 3)
    if (!this.isFirst) this.bytes[this.at++] = this.separator
    this.isFirst = false
  }

  private makeRoom(needed: number): void {
    if (needed <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.size, 2 * this.bytes.length))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }
}

/** Whether a spreadsheet takes it for the beginning of a formula. */
function isFormula(text: Buffer, from: number, to: number): boolean {
  if (from === to) return false
  if (FORMULA[text[from]!] === 1) return true
  return text[from] === WIDE[0] && text[from + 1] === WIDE[1] && WIDE_FORMULA[text[from + 2]!] === 1
}

function tableOf(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of bytes) table[byte] = 1
  return table
}
