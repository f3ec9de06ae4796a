/** Parameters of a call as parsed by PHP: nested, with maps that look like lists as lists. */
export interface Parameters {
  [name: string]: unknown
}

/** Parses `filter[>ID]=5&select[]=ID`. */
export function parseForm(parseText: string): Parameters {
  const root: Parameters = {}
  for (const [key, value] of new URLSearchParams(parseText)) setNestedValue(root, parseKeyPath(key), value)
  return convertLists(root) as Parameters
}

/** `a[b][]` → a, b and the empty name. */
function parseKeyPath(key: string): string[] {
  const open = key.indexOf('[')
  if (open < 1) return [key]
  return [key.slice(0, open), ...[...key.slice(open).matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name!)]
}

function setNestedValue(into: Parameters, [name, ...innerPath]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(into).length) : name!
  if (innerPath.length === 0) {
    into[key] = value
    return
  }
  const inner = into[key]
  const next: Parameters = typeof inner === 'object' && inner !== null ? (inner as Parameters) : {}
  into[key] = next
  setNestedValue(next, innerPath, value)
}

/** Maps with the keys 0, 1, 2 … as lists, like in PHP. */
export function convertLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, convertLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** A map in PHP's JSON: without entries, or with the keys 0, 1, 2 …, it becomes a list. */
export function toPhpArray(parseMap: Record<string, unknown>): unknown {
  const keys = Object.keys(parseMap)
  return keys.every((key, n) => key === String(n)) ? Object.values(parseMap) : parseMap
}

/** A parameter as text; undefined for another type. */
export function parseText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** A parameter as a map; empty for another type. */
export const parseMap = (value: unknown): Parameters =>
  typeof value === 'object' && value !== null ? (value as Parameters) : {}

/** A parameter as a list of texts. */
export const parseTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => parseText(one) ?? '')
