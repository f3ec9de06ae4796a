import { PortalError } from './faults.ts'
import { parseParameterMap, parseParameterText, parseParameterTexts, type PhpParameters } from './parameters.ts'
import {
  parseFilterFieldName,
  listPortalPage,
  type PortalListComparison,
  type PortalListQuery,
  type TestPortalRow,
  type PortalTable,
} from './table.ts'

/** The response of a method without the field `time`. */
export interface PortalMethodResult {
  result: unknown
  next?: number
  total?: number
}

/** Parses the parameters filter, order and start of a list method. */
export function parsePortalListQuery(parameters: PhpParameters): PortalListQuery {
  const filter = parseParameterMap(parameters.filter ?? parameters.FILTER)
  const [order] = Object.entries(parseParameterMap(parameters.order))
  return {
    filter,
    start: Number(parseParameterText(parameters.start) ?? 0) || 0,
    ...(order && { order: [order[0], /desc/i.test(parseParameterText(order[1]) ?? '') ? 'DESC' : 'ASC'] as const }),
  }
}

/** Returns a page of a list method. Unknown filter fields are ignored, like in Bitrix24. */
export function listPortalRows<R extends TestPortalRow>(
  table: PortalTable<R>,
  listQuery: PortalListQuery,
  comparison: PortalListComparison & { fields?: readonly string[]; present?: (row: R) => unknown },
): PortalMethodResult & { result: unknown[] } {
  const { fields, present = (row: R) => row } = comparison
  const isKnown = ([key]: [string, unknown]) => !fields || fields.includes(parseFilterFieldName(key))
  const filter = Object.fromEntries(Object.entries(listQuery.filter).filter(isKnown))
  const { rows, ...counts } = listPortalPage(table, { ...listQuery, filter }, comparison)
  return { result: rows.map(present), ...counts }
}

/**
 * Selects the requested fields of a row; the id is always included.
 * @param hidden fields that are included only if they are requested by name
 */
export function selectPortalFields(row: TestPortalRow, select: unknown, hidden: readonly string[] = []): TestPortalRow {
  const names = parseParameterTexts(select).filter((name) => name !== '')
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
export function rejectUnknownFilterFields(filter: PhpParameters, fields: readonly string[]): void {
  for (const key of Object.keys(filter)) {
    if (fields.includes(parseFilterFieldName(key))) continue
    throw new PortalError(
      400,
      'INVALID_ARG_VALUE',
      `Invalid filter: field '${parseFilterFieldName(key)}' is not allowed in filter`,
    )
  }
}
