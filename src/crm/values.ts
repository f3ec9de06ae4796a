/** Values as the portal writes them: numbers as texts, nothing as '', '0', null or an empty map. */

/** A text that says something, without the character that Postgres does not take. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).replaceAll('\0', '').trim()
  return text === '' ? null : text.toWellFormed()
}

/** An id, as text; 0 is none. */
export function idOf(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^[1-9]\d{0,17}$/.test(text) ? text : null
}

/** An id where 0 is one too: that of the default funnel. */
export function numberOf(value: unknown): number | null {
  const text = textOf(value)
  const number = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** Ids of a list, or of a map as PHP makes it of a list with gaps, each once. */
export const idsOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [
        ...new Set(
          Object.values(value)
            .map(idOf)
            .filter((id) => id !== null),
        ),
      ]
    : []

/** An amount of money, to eight digits behind the point: PHP writes 4200.1 with seventeen; null where it is none. */
export function amountOf(value: unknown): string | null {
  return /^-?\d{1,15}(\.\d{1,8})?(?=\d*$)/.exec(textOf(value) ?? '')?.[0] ?? null
}

/** A time with its offset; null where it is none. */
export function timeOf(value: unknown): Date | null {
  const text = textOf(value)
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time)
}

/** A time as filters take it everywhere: whole seconds with an offset. */
export const filterTime = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`

/** Y or true, as the portal has it in different places. */
export const flagOf = (value: unknown): boolean => value === true || value === 'Y' || value === 'true' || value === 1
