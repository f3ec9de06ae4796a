import { parseParameterMap, parseParameterText, parseParameterTexts, type PhpParameters } from './parameters.ts'

/** The fields of an object by name, in the format of the Bitrix24 API. */
export type TestPortalRow = Record<string, unknown>

/** Stores rows of one kind in ascending order of their ids. */
export class PortalTable<R extends TestPortalRow = TestPortalRow> {
  readonly rows: R[] = []
  private readonly byId = new Map<string, R>()
  private lastId: number
  private readonly idName: string
  constructor(idName: string, firstId = 1) {
    this.idName = idName
    this.lastId = firstId - 1
  }

  idOf(row: TestPortalRow): number {
    return Number(row[this.idName])
  }

  nextId(): number {
    return this.lastId + 1
  }

  /** Inserts a row at the position of its id. */
  add(row: R): R {
    const id = this.idOf(row)
    this.rows.splice(this.indexAfter(id), 0, row)
    this.byId.set(String(id), row)
    this.lastId = Math.max(this.lastId, id)
    return row
  }

  get(id: unknown): R | undefined {
    return this.byId.get(String(Number(id)))
  }

  remove(id: number): R | undefined {
    const row = this.get(id)
    if (!row) return undefined
    this.byId.delete(String(id))
    this.rows.splice(this.rows.indexOf(row), 1)
    return row
  }

  clear(): void {
    this.rows.length = 0
    this.byId.clear()
  }

  /** Returns the index of the first row with a larger id. */
  indexAfter(id: number): number {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.idOf(this.rows[middle]!) <= id) low = middle + 1
      else high = middle
    }
    return low
  }
}

const PAGE_SIZE = 50

/** The parsed parameters of a list method. */
export interface PortalListQuery {
  filter: PhpParameters
  /** Field and direction; by default the id in ascending order. */
  order?: readonly [field: string, direction: 'ASC' | 'DESC']
  /** The offset of the page. With -1, the response has no `next`, and `total` is 0. */
  start: number
}

/** Defines how the rows of a table are compared and shown. */
export interface PortalListComparison {
  idName: string
  /** Names of fields that contain times. */
  times?: readonly string[]
  /** Returns the row as filters and sorting see it. */
  show?: (row: TestPortalRow) => TestPortalRow
  isVisible?: (row: TestPortalRow) => boolean
}

/** Returns a page of 50 rows, with `next` and `total` like in Bitrix24. */
export function listPortalPage<R extends TestPortalRow>(
  table: PortalTable<R>,
  { filter, order, start }: PortalListQuery,
  { idName, times = [], show = (row) => row, isVisible = () => true }: PortalListComparison,
): { rows: R[]; next?: number; total: number } {
  const tests = Object.entries(filter).map(([key, value]) => createCondition(key, value, times))
  const [field, direction] = order ?? [idName, 'ASC']
  const isById = field.toUpperCase() === idName.toUpperCase()
  const matches = (row: R) => {
    const shown = show(row)
    return isVisible(row) && tests.every((test) => test(shown))
  }
  if (start < 0 && isById && direction === 'ASC')
    return { rows: listRowsAfter(table, filter, idName, matches), total: 0 }
  const all = table.rows.filter(matches)
  if (!isById) all.sort((a, b) => compare(show(a)[field], show(b)[field], times.includes(field)))
  if (direction === 'DESC') all.reverse()
  const from = Math.max(0, start)
  const rows = all.slice(from, from + PAGE_SIZE)
  if (start < 0) return { rows, total: 0 }
  const next = from + rows.length
  return { rows, total: all.length, ...(next < all.length && { next }) }
}

/** Returns the first page after an id without scanning the rows before it. */
function listRowsAfter<R extends TestPortalRow>(
  table: PortalTable<R>,
  filter: PhpParameters,
  idName: string,
  matches: (row: R) => boolean,
): R[] {
  const above = parseParameterText(filter[`>${idName}`])
  const found: R[] = []
  for (let at = above === undefined ? 0 : table.indexAfter(Number(above)); at < table.rows.length; at++) {
    if (matches(table.rows[at]!)) found.push(table.rows[at]!)
    if (found.length === PAGE_SIZE) break
  }
  return found
}

const OPERATOR = /^(!><|><|!%|!=|!@|>=|<=|!|=|%|@|\?|>|<)?(.*)$/

/** Returns the field name in a filter key such as `>ID`, without the operator. */
export const parseFilterFieldName = (key: string): string => OPERATOR.exec(key)![2]!

function createCondition(
  key: string,
  expectedValue: unknown,
  times: readonly string[],
): (row: TestPortalRow) => boolean {
  const [, operator = '', field] = OPERATOR.exec(key) as unknown as [string, string | undefined, string]
  const isTime = times.includes(field)
  const values = parseParameterTexts(
    Array.isArray(expectedValue) || typeof expectedValue !== 'object'
      ? expectedValue
      : Object.values(parseParameterMap(expectedValue)),
  )
  const matchAny = (test: (actual: unknown) => boolean) => (row: TestPortalRow) => {
    const actual = row[field]
    return Array.isArray(actual) ? actual.some(test) : test(actual)
  }
  const equals = (actual: unknown) => values.some((one) => compare(actual, one, isTime) === 0)
  const contains = (actual: unknown) => values.some((one) => (parseParameterText(actual) ?? '').includes(one))
  const compareToFirst = (actual: unknown) => compare(actual, values[0], isTime)
  const between = (actual: unknown) => compareToFirst(actual) >= 0 && compare(actual, values[1], isTime) <= 0
  const tests: Record<string, (row: TestPortalRow) => boolean> = {
    '>': matchAny((actual) => compareToFirst(actual) > 0),
    '>=': matchAny((actual) => compareToFirst(actual) >= 0),
    '<': matchAny((actual) => compareToFirst(actual) < 0),
    '<=': matchAny((actual) => compareToFirst(actual) <= 0),
    '><': matchAny(between),
    '!><': matchAny((actual) => !between(actual)),
    '%': matchAny(contains),
    '?': matchAny(contains),
    '!%': matchAny((actual) => !contains(actual)),
    '!': (row) => !matchAny(equals)(row),
    '!=': (row) => !matchAny(equals)(row),
    '!@': (row) => !matchAny(equals)(row),
  }
  return tests[operator] ?? matchAny(equals)
}

function compare(a: unknown, b: unknown, isTime: boolean): number {
  const [left, right] = [parseParameterText(a) ?? '', parseParameterText(b) ?? '']
  if (isTime) return Date.parse(left) - Date.parse(right)
  if (left !== '' && right !== '' && Number.isFinite(Number(left)) && Number.isFinite(Number(right))) {
    return Number(left) - Number(right)
  }
  return left < right ? -1 : left > right ? 1 : 0
}
