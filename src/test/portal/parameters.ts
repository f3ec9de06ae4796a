/** Parameters of a call as parsed by PHP: nested, with maps that look like lists as lists. */
export interface Parameters {
  [name: string]: unknown
}

/** Parses `filter[>ID]=5&select[]=ID`. */
export function parseForm(text: string): Parameters {
  const root: Parameters = {}
  for (const [key, value] of new URLSearchParams(text)) put(root, pathOf(key), value)
  return asLists(root) as Parameters
}

/** `a[b][]` → a, b and the empty name. */
function pathOf(key: string): string[] {
  const open = key.indexOf('[')
  if (open < 1) return [key]
  return [key.slice(0, open), ...[...key.slice(open).matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name!)]
}

function put(into: Parameters, [name, ...rest]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(into).length) : name!
  if (rest.length === 0) {
    into[key] = value
    return
  }
  const inner = into[key]
  const next: Parameters = typeof inner === 'object' && inner !== null ? (inner as Parameters) : {}
  into[key] = next
  put(next, rest, value)
}

/** Maps with the keys 0, 1, 2 … as lists, like in PHP. */
export function asLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, asLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** A map in PHP's JSON: without entries, or with the keys 0, 1, 2 …, it becomes a list. */
export function phpArray(map: Record<string, unknown>): unknown {
  const keys = Object.keys(map)
  return keys.every((key, n) => key === String(n)) ? Object.values(map) : map
}

/** A parameter as text; undefined for another type. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** A parameter as a map; empty for another type. */
export const map = (value: unknown): Parameters =>
  typeof value === 'object' && value !== null ? (value as Parameters) : {}

/** A parameter as a list of texts. */
export const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => text(one) ?? '')
