import { isUuid } from '../../platform/lib/ids.ts'
import type { PageContext } from '../frame/context.ts'
import type { RequestedVersion } from './check.ts'
import { MAX_PART_ROWS, type RowRange } from './turns.ts'
import { SIDES, type Side } from './view.ts'

/** The recording's address in the API. */
export const formatRecordingApiPath = ({ ctx }: PageContext): string =>
  `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

const MAX_SEARCH_CHARACTERS = 500

/** The search in the text. */
export const parseSearch = ({ ctx }: PageContext): string =>
  typeof ctx.query.q === 'string' ? ctx.query.q.trim().slice(0, MAX_SEARCH_CHARACTERS) : ''

export const parseSide = ({ ctx }: PageContext): Side | null => SIDES.find((side) => side === ctx.query.side) ?? null

/** A number such as a moment in seconds; null if it is none. */
export const parseNumberParameter = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : null

/** The version of the rules whose check is shown; null: the current one. */
export function parseRequestedVersion({ ctx: { query } }: PageContext): RequestedVersion | null {
  const number = parseNumberParameter(query.version)
  if (number === null || !Number.isInteger(number) || number === 0) return null
  return { number, set: typeof query.set === 'string' && isUuid(query.set) ? query.set : null }
}

/** Rows of one part of the text, such as 150-300; null if the range is not valid. */
export function parseRowRange(text: unknown): RowRange | null {
  const [, from, to] = /^(\d{1,6})-(\d{1,6})$/.exec(String(text)) ?? []
  const rows = { from: Number(from), to: Number(to) }
  return rows.to > rows.from && rows.to - rows.from <= MAX_PART_ROWS ? rows : null
}
