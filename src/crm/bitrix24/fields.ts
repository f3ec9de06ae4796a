import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { crmMessages } from '../messages.ts'
import { asObject, callPortal, type Asking, type Params } from './client.ts'
import { rowsOf, type RejectedRow, type Row } from './rows.ts'
import { amountOf, flagOf, idOf, numberOf, textOf, timeOf, valuesOf } from './values.ts'

class RowRejected extends Error {
  readonly reason: Message
  readonly value: unknown
  constructor(reason: Message, value: unknown) {
    super(reason.text)
    this.reason = reason
    this.value = value
  }
}

const MOST_IDS = 500

/** Parses the fields of a portal row. A value that its column cannot store becomes null and is counted. */
export class Fields {
  /** How many values of the portal became null. */
  invalid = 0
  private readonly row: Row
  constructor(row: Row) {
    this.row = row
  }

  text = (name: string, limit?: number): string | null => this.read(name, (value) => textOf(value, limit))
  id = (name: string): string | null => this.read(name, idOf)
  amount = (name: string): string | null => this.read(name, amountOf)
  time = (name: string, latest?: number): Date | null => this.read(name, (value) => timeOf(value, latest))

  /** A whole number from `least` to `most`; by default the range of ids. */
  number(name: string, least = 0, most = Number.MAX_SAFE_INTEGER): number | null {
    return this.read(name, (value) => {
      const number = numberOf(value)
      return number !== null && number >= least && number <= most ? number : null
    })
  }

  /** A position in a list; Postgres integers have 32 bits. */
  sort = (name: string): number | null => this.number(name, -(2 ** 31), 2 ** 31 - 1)

  /** One of the portal's letters for the meaning of a stage. */
  letter(name: string, letters: string): string | null {
    return this.read(name, (value) => {
      const text = textOf(value)
      return text?.length === 1 && letters.includes(text) ? text : null
    })
  }

  flag(name: string): boolean {
    const value = this.row[name]
    if (!isNothing(value) && !flagOf(value) && value !== 'N' && value !== 'false') this.invalid++
    return flagOf(value)
  }

  ids = (name: string): string[] => [...new Set(this.list(name, idOf))]

  /** The parsed elements of a list; invalid ones are skipped and counted. */
  list<T>(name: string, find: (value: unknown) => T | null): T[] {
    const value = this.row[name]
    const elements = valuesOf(value)
    const isList = elements.length > 0 && elements.length <= MOST_IDS
    if (!isList && !isNothing(value)) this.invalid++
    if (!isList) return []
    const found = elements.map(find)
    this.invalid += elements.filter((element, n) => found[n] === null && !isNothing(element)).length
    return found.filter((one) => one !== null)
  }

  /** A required value. @throws RowRejected */
  required<T>(name: string, value: T | null): T {
    if (value === null) throw new RowRejected(crmMessages.rowField({ field: name }), this.row[name])
    return value
  }

  private read<T>(name: string, parse: (value: unknown) => T | null): T | null {
    const value = this.row[name]
    const found = parse(value)
    if (found === null && !isNothing(value)) this.invalid++
    return found
  }
}

/** The portal's ways to write an absent value. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  if (typeof value === 'string') return ['', '0'].includes(value.trim())
  return value === undefined || value === null || value === false || value === 0
}

/** Rows of a page in the form of our tables, and the rejected rows. */
export interface ParsedRows<T> {
  read: number
  values: T[]
  rejected: RejectedRow[]
  /** How many values were invalid and became null. */
  invalid: number
}

/** Parses rows. A row that throws RowRejected does not affect the others. @param rejected rows rejected before */
export function parseRows<T>(rows: Row[], parse: (fields: Fields) => T, rejected: RejectedRow[] = []): ParsedRows<T> {
  const parsed: ParsedRows<T> = { read: rows.length + rejected.length, values: [], rejected: [...rejected], invalid: 0 }
  for (const row of rows) {
    const fields = new Fields(row)
    try {
      parsed.values.push(parse(fields))
      parsed.invalid += fields.invalid
    } catch (error) {
      if (!(error instanceof RowRejected)) throw error
      parsed.rejected.push({ row, reason: error.reason, value: error.value })
    }
  }
  return parsed
}

/** The values of a row by the columns of its table. */
export type Columns = Record<string, unknown>

/** A list that is read from its start to its end each time. */
export interface PortalList {
  method: string
  params: Params
  /** Where the rows are within the result. */
  within?: string
  parse: (fields: Fields) => Columns
}

/** Fetches a page of a list. @returns its rows, and the start of the next page if there is one */
export async function fetchListPage(core: Core, asking: Asking, list: PortalList, start: number) {
  const { method, params, within, parse } = list
  const { result, next } = await callPortal(core, asking, method, { ...params, start })
  const parsed = parseRows(rowsOf(within ? asObject(result)[within] : result), parse)
  // A portal that returns the same page again would keep us busy forever.
  return { parsed, next: next !== undefined && next > start ? next : undefined }
}
