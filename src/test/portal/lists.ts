import { PortalError } from './faults.ts'
import { parseMap, parseText, parseTexts, type Parameters } from './parameters.ts'
import { parseFilterField, listPage, type ListComparison, type ListQuery, type Row, type Table } from './table.ts'

/** The response of a method without the field `time`. */
export interface MethodResult {
  result: unknown
  next?: number
  total?: number
}

/** Parses the parameters filter, order and start of a list method. */
export function parseListQuery(parameters: Parameters): ListQuery {
  const filter = parseMap(parameters.filter ?? parameters.FILTER)
  const [order] = Object.entries(parseMap(parameters.order))
  return {
    filter,
    start: Number(parseText(parameters.start) ?? 0) || 0,
    ...(order && { order: [order[0], /desc/i.test(parseText(order[1]) ?? '') ? 'DESC' : 'ASC'] as const }),
  }
}

/** Returns a page of a list method. Unknown filter fields are ignored, like in Bitrix24. */
export function listRows<R extends Row>(
  table: Table<R>,
  listQuery: ListQuery,
  comparison: ListComparison & { fields?: readonly string[]; present?: (row: R) => unknown },
): MethodResult & { result: unknown[] } {
  const { fields, present = (row: R) => row } = comparison
  const isKnown = ([key]: [string, unknown]) => !fields || fields.includes(parseFilterField(key))
  const filter = Object.fromEntries(Object.entries(listQuery.filter).filter(isKnown))
  const { rows, ...counts } = listPage(table, { ...listQuery, filter }, comparison)
  return { result: rows.map(present), ...counts }
}

/**
 * Selects the requested fields of a row; the id is always included.
 * @param hidden fields that are included only if they are requested by name
 */
export function selectFields(row: Row, select: unknown, hidden: readonly string[] = []): Row {
  const names = parseTexts(select).filter((name) => name !== '')
  const all = names.length === 0 || names.includes('*')
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => names.includes(name) || (all && !hidden.includes(name)) || /^id$/i.test(name),
    ),
  )
}

/**
 * Checks the fields of a filter, like the newer methods of Bitrix24.
 * @throws PortalError 400 for an unknown field
 */
export function rejectUnknownFields(filter: Parameters, fields: readonly string[]): void {
  for (const key of Object.keys(filter)) {
    if (fields.includes(parseFilterField(key))) continue
    throw new PortalError(
      400,
      'INVALID_ARG_VALUE',
      `Invalid filter: field '${parseFilterField(key)}' is not allowed in filter`,
    )
  }
}
