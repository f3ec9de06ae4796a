import { PortalError } from './faults.ts'
import { map, text, texts, type Parameters } from './parameters.ts'
import { fieldOf, pageOf, type Comparison, type Question, type Row, type Table } from './table.ts'

/** The response of a method besides `time`. */
export interface Answer {
  result: unknown
  next?: number
  total?: number
}

/** `{filter, order, start}` in the form of most list methods. */
export function question(parameters: Parameters): Question {
  const filter = map(parameters.filter ?? parameters.FILTER)
  const [order] = Object.entries(map(parameters.order))
  return {
    filter,
    start: Number(text(parameters.start) ?? 0) || 0,
    ...(order && { order: [order[0], /desc/i.test(text(order[1]) ?? '') ? 'DESC' : 'ASC'] as const }),
  }
}

/** A page of a list method; unknown fields of the filter are ignored silently. */
export function list<R extends Row>(
  table: Table<R>,
  asked: Question,
  comparison: Comparison & { fields?: readonly string[]; present?: (row: R) => unknown },
): Answer & { result: unknown[] } {
  const { fields, present = (row: R) => row } = comparison
  const known = ([key]: [string, unknown]) => !fields || fields.includes(fieldOf(key))
  const filter = Object.fromEntries(Object.entries(asked.filter).filter(known))
  const { rows, ...counts } = pageOf(table, { ...asked, filter }, comparison)
  return { result: rows.map(present), ...counts }
}

/** The requested fields of a row; `hidden` ones only if named. */
export function selected(row: Row, select: unknown, hidden: readonly string[] = []): Row {
  const names = texts(select).filter((name) => name !== '')
  const all = names.length === 0 || names.includes('*')
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => names.includes(name) || (all && !hidden.includes(name)) || /^id$/i.test(name),
    ),
  )
}

/** Rejects invalid fields of a filter, like the newer methods. */
export function refuseUnknown(filter: Parameters, fields: readonly string[]): void {
  for (const key of Object.keys(filter)) {
    if (fields.includes(fieldOf(key))) continue
    throw new PortalError(400, 'INVALID_ARG_VALUE', `Invalid filter: field '${fieldOf(key)}' is not allowed in filter`)
  }
}
