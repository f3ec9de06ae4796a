import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { crmMessages } from '../messages.ts'
import { toObject, callPortal, type PortalAccess, type PortalObject } from './client.ts'
import { extractRows, type RejectedRow, type PortalRow } from './rows.ts'
import { parseAmount, parseFlag, parseId, parseNumber, parseText, parsePortalTime, toArray } from './values.ts'

class RowRejectedError extends Error {
  readonly reason: Message
  readonly value: unknown
  constructor(reason: Message, value: unknown) {
    super(reason.text)
    this.reason = reason
    this.value = value
  }
}

const MAX_LIST_ELEMENTS = 500

/** Parses the fields of a portal row. A value that its column cannot store becomes null and is counted. */
export class RowFields {
  /** How many values of the portal became null. */
  invalid = 0
  private readonly row: PortalRow
  constructor(row: PortalRow) {
    this.row = row
  }

  text = (name: string, limit?: number): string | null => this.parseField(name, (value) => parseText(value, limit))
  id = (name: string): string | null => this.parseField(name, parseId)
  amount = (name: string): string | null => this.parseField(name, parseAmount)
  time = (name: string, latest?: number): Date | null =>
    this.parseField(name, (value) => parsePortalTime(value, latest))

  /** A whole number from `least` to `most`; by default the range of ids. */
  number(name: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | null {
    return this.parseField(name, (value) => {
      const number = parseNumber(value)
      return number !== null && number >= min && number <= max ? number : null
    })
  }

  /** A position in a list; Postgres integers have 32 bits. */
  sort = (name: string): number | null => this.number(name, -(2 ** 31), 2 ** 31 - 1)

  /** One of the portal's letters for the meaning of a stage. */
  letter(name: string, letters: string): string | null {
    return this.parseField(name, (value) => {
      const text = parseText(value)
      return text?.length === 1 && letters.includes(text) ? text : null
    })
  }

  flag(name: string): boolean {
    const value = this.row[name]
    if (!isAbsent(value) && !parseFlag(value) && value !== 'N' && value !== 'false') this.invalid++
    return parseFlag(value)
  }

  ids = (name: string): string[] => [...new Set(this.list(name, parseId))]

  /** The parsed elements of a list; invalid ones are skipped and counted. */
  list<T>(name: string, parseElement: (value: unknown) => T | null): T[] {
    const value = this.row[name]
    const elements = toArray(value)
    const isList = elements.length > 0 && elements.length <= MAX_LIST_ELEMENTS
    if (!isList && !isAbsent(value)) this.invalid++
    if (!isList) return []
    const result = elements.map(parseElement)
    this.invalid += elements.filter((element, n) => result[n] === null && !isAbsent(element)).length
    return result.filter((element) => element !== null)
  }

  /** A required value. @throws RowRejectedError */
  required<T>(name: string, value: T | null): T {
    if (value === null) throw new RowRejectedError(crmMessages.rowField({ field: name }), this.row[name])
    return value
  }

  private parseField<T>(name: string, parse: (value: unknown) => T | null): T | null {
    const value = this.row[name]
    const result = parse(value)
    if (result === null && !isAbsent(value)) this.invalid++
    return result
  }
}

/** The portal's ways to write an absent value. */
function isAbsent(value: unknown): boolean {
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

/** Parses rows. A row that throws RowRejectedError does not affect the others. @param rejected rows rejected before */
export function parseRows<T>(
  rows: PortalRow[],
  parse: (fields: RowFields) => T,
  rejected: RejectedRow[] = [],
): ParsedRows<T> {
  const parsed: ParsedRows<T> = { read: rows.length + rejected.length, values: [], rejected: [...rejected], invalid: 0 }
  for (const row of rows) {
    const fields = new RowFields(row)
    try {
      parsed.values.push(parse(fields))
      parsed.invalid += fields.invalid
    } catch (error) {
      if (!(error instanceof RowRejectedError)) throw error
      parsed.rejected.push({ row, reason: error.reason, value: error.value })
    }
  }
  return parsed
}

/** The values of a row by the columns of its table. */
export type ColumnValues = Record<string, unknown>

/** A list that is read from its start to its end each time. */
export interface PortalList {
  method: string
  params: PortalObject
  /** Where the rows are within the result. */
  within?: string
  parse: (fields: RowFields) => ColumnValues
}

/** Fetches a page of a list. @returns its rows, and the start of the next page if there is one */
export async function fetchListPage(core: Core, access: PortalAccess, list: PortalList, start: number) {
  const { method, params, within, parse } = list
  const { result, next } = await callPortal(core, access, method, { ...params, start })
  const parsed = parseRows(extractRows(within ? toObject(result)[within] : result), parse)
  // A portal that returns the same page again would keep us busy forever.
  return { parsed, next: next !== undefined && next > start ? next : undefined }
}
