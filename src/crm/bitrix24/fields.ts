import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { crmMessages } from '../messages.ts'
import { toPortalObject, callPortalMethod, type PortalAccess, type PortalObject } from './client.ts'
import { extractPortalRows, type RejectedPortalRow, type PortalRow } from './rows.ts'
import {
  parsePortalAmount,
  parsePortalFlag,
  parsePortalId,
  parsePortalNumber,
  parsePortalText,
  parsePortalTime,
  toPortalArray,
} from './values.ts'

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

/** Parses the fields of a portal row. Values that do not fit their column become null and are counted. */
export class PortalRowFields {
  /** The number of values that became null. */
  invalid = 0
  private readonly row: PortalRow
  constructor(row: PortalRow) {
    this.row = row
  }

  text = (name: string, limit?: number): string | null =>
    this.parseField(name, (value) => parsePortalText(value, limit))
  id = (name: string): string | null => this.parseField(name, parsePortalId)
  amount = (name: string): string | null => this.parseField(name, parsePortalAmount)
  time = (name: string, latest?: number): Date | null =>
    this.parseField(name, (value) => parsePortalTime(value, latest))

  /** Parses a whole number from `min` to `max`, by default 0 or any larger safe integer. */
  number(name: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | null {
    return this.parseField(name, (value) => {
      const number = parsePortalNumber(value)
      return number !== null && number >= min && number <= max ? number : null
    })
  }

  /** Parses a list position within the range of a Postgres integer. */
  sort = (name: string): number | null => this.number(name, -(2 ** 31), 2 ** 31 - 1)

  letter(name: string, letters: string): string | null {
    return this.parseField(name, (value) => {
      const text = parsePortalText(value)
      return text?.length === 1 && letters.includes(text) ? text : null
    })
  }

  flag(name: string): boolean {
    const value = this.row[name]
    if (!isAbsent(value) && !parsePortalFlag(value) && value !== 'N' && value !== 'false') this.invalid++
    return parsePortalFlag(value)
  }

  ids = (name: string): string[] => [...new Set(this.list(name, parsePortalId))]

  /**
   * Parses the elements of a list. It skips and counts invalid elements. A list of over 500 elements counts as one invalid
   * value.
   */
  list<T>(name: string, parseElement: (value: unknown) => T | null): T[] {
    const value = this.row[name]
    const elements = toPortalArray(value)
    const isList = elements.length > 0 && elements.length <= MAX_LIST_ELEMENTS
    if (!isList && !isAbsent(value)) this.invalid++
    if (!isList) return []
    const result = elements.map(parseElement)
    this.invalid += elements.filter((element, n) => result[n] === null && !isAbsent(element)).length
    return result.filter((element) => element !== null)
  }

  /** Returns the value if it is not null. @throws RowRejectedError */
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

/** The portal writes absent values as empty text, 0, false, null, an empty list or an empty map. */
function isAbsent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  if (typeof value === 'string') return ['', '0'].includes(value.trim())
  return value === undefined || value === null || value === false || value === 0
}

/** The parsed rows of a page, and the rejected rows with their reasons. */
export interface ParsedPortalRows<T> {
  read: number
  values: T[]
  rejected: RejectedPortalRow[]
  /** The number of values that became null because they were invalid. */
  invalid: number
}

/**
 * Parses rows of the portal. A row with an invalid required field is rejected without affecting the others.
 * @param rejected rows that were rejected earlier
 */
export function parsePortalRows<T>(
  rows: PortalRow[],
  parse: (fields: PortalRowFields) => T,
  rejected: RejectedPortalRow[] = [],
): ParsedPortalRows<T> {
  const parsed: ParsedPortalRows<T> = {
    read: rows.length + rejected.length,
    values: [],
    rejected: [...rejected],
    invalid: 0,
  }
  for (const row of rows) {
    const fields = new PortalRowFields(row)
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

/** The values of a row by column name. */
export type CrmColumnValues = Record<string, unknown>

/** A list of the portal that is read from start to end on each pass. */
export interface PortalList {
  method: string
  params: PortalObject
  /** The property of the result that contains the rows. */
  within?: string
  parse: (fields: PortalRowFields) => CrmColumnValues
}

/**
 * Fetches a page of a list.
 * @param start the offset of the page
 * @returns the parsed rows, and the offset of the next page if there is one
 */
export async function fetchPortalListPage(core: Core, access: PortalAccess, list: PortalList, start: number) {
  const { method, params, within, parse } = list
  const { result, next } = await callPortalMethod(core, access, method, { ...params, start })
  const parsed = parsePortalRows(extractPortalRows(within ? toPortalObject(result)[within] : result), parse)
  // Stop at an offset that does not increase, which would cause an endless loop.
  return { parsed, next: next !== undefined && next > start ? next : undefined }
}
