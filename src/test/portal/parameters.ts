/** The parameters of a request as PHP parses them: nested maps, in which maps with the keys 0, 1, 2 … are arrays. */
export interface PhpParameters {
  [name: string]: unknown
}

/** Parses a query or form such as `filter[>ID]=5&select[]=ID` like PHP. */
export function parsePhpForm(text: string): PhpParameters {
  const root: PhpParameters = {}
  for (const [key, value] of new URLSearchParams(text)) setNestedValue(root, parseKeyPath(key), value)
  return convertPhpLists(root) as PhpParameters
}

/** Splits `a[b][]` into a, b and an empty name. */
function parseKeyPath(key: string): string[] {
  const open = key.indexOf('[')
  if (open < 1) return [key]
  return [key.slice(0, open), ...[...key.slice(open).matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name!)]
}

function setNestedValue(into: PhpParameters, [name, ...innerPath]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(into).length) : name!
  if (innerPath.length === 0) {
    into[key] = value
    return
  }
  const inner = into[key]
  const next: PhpParameters = typeof inner === 'object' && inner !== null ? (inner as PhpParameters) : {}
  into[key] = next
  setNestedValue(next, innerPath, value)
}

/** Converts maps with the keys 0, 1, 2 … to arrays, like PHP. */
export function convertPhpLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, convertPhpLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** Converts a map as PHP's json_encode() does: without entries, or with the keys 0, 1, 2 …, it becomes an array. */
export function toPhpJsonArray(map: Record<string, unknown>): unknown {
  const keys = Object.keys(map)
  return keys.every((key, n) => key === String(n)) ? Object.values(map) : map
}

/** Returns a scalar parameter as text; undefined for other types. */
export function parseParameterText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** Returns a parameter as a map; an empty map for other types. */
export const parseParameterMap = (value: unknown): PhpParameters =>
  typeof value === 'object' && value !== null ? (value as PhpParameters) : {}

/** Returns a scalar or array parameter as a list of texts. */
export const parseParameterTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => parseParameterText(one) ?? '')
