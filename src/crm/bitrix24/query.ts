/** What a method takes: JSON. */
export type Params = Record<string, unknown>

/** Parameters as the portal reads them from an address, as PHP does: filter[>ID]=5, select[0]=ID. */
export function asQuery(params: Params): string {
  const parts: string[] = []
  const write = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) write(`${name}[${key}]`, inner)
      return
    }
    const text = value === null ? '' : `${value as string | number | boolean}`
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  }
  for (const [name, value] of Object.entries(params)) write(name, value)
  return parts.join('&')
}
