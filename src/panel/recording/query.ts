import { isUuid } from '../../platform/lib/ids.ts'
import type { PageContext } from '../frame/context.ts'
import type { RequestedVersion } from './check.ts'
import { MAX_PART_ROWS, type RowRange } from './turns.ts'
import { SIDES, type Side } from './view.ts'

/** Formats the API path of the call that the route names. */
export const formatRecordingApiPath = ({ ctx }: PageContext): string =>
  `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

const MAX_SEARCH_CHARACTERS = 500

/** Parses the search text in the transcript, limited to 500 characters. */
export const parseSearch = ({ ctx }: PageContext): string =>
  typeof ctx.query.q === 'string' ? ctx.query.q.trim().slice(0, MAX_SEARCH_CHARACTERS) : ''

/** Parses the side whose text is searched; null for both. */
export const parseSide = ({ ctx }: PageContext): Side | null => SIDES.find((side) => side === ctx.query.side) ?? null

/** Parses a non-negative number, such as a moment in seconds. Returns null for other text. */
export const parseNumberParameter = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : null

/** Parses the rule set version whose check to show; null for the current one. */
export function parseRequestedVersion({ ctx: { query } }: PageContext): RequestedVersion | null {
  const number = parseNumberParameter(query.version)
  if (number === null || !Number.isInteger(number) || number === 0) return null
  return { number, set: typeof query.set === 'string' && isUuid(query.set) ? query.set : null }
}

/** Parses the rows of a transcript part, such as 150-300 with an exclusive end. Returns null for an invalid or too large range. */
export function parseRowRange(text: unknown): RowRange | null {
  const [, from, to] = /^(\d{1,6})-(\d{1,6})$/.exec(String(text)) ?? []
  const rows = { from: Number(from), to: Number(to) }
  return rows.to > rows.from && rows.to - rows.from <= MAX_PART_ROWS ? rows : null
}
