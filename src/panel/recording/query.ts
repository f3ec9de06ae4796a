import { isUuid } from '../../platform/lib/ids.ts'
import type { PageContext } from '../frame/context.ts'
import type { RequestedRuleSetVersion } from './rule-set-version.ts'
import { MAX_TRANSCRIPT_PART_ROWS, type TranscriptRowRange } from './turns.ts'
import { SEARCH_SIDES, type SearchSide } from './view.ts'

/** Formats the API path of the call whose id is in the route. */
export const formatRecordingApiPath = ({ ctx }: PageContext): string =>
  `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

const MAX_SEARCH_CHARACTERS = 500

/** Returns the trimmed search text of query parameter `q`, cut to 500 characters; empty without a search. */
export const parseTranscriptSearch = ({ ctx }: PageContext): string =>
  typeof ctx.query.q === 'string' ? ctx.query.q.trim().slice(0, MAX_SEARCH_CHARACTERS) : ''

/** Parses the side whose text is searched; null for both. */
export const parseSearchSide = ({ ctx }: PageContext): SearchSide | null =>
  SEARCH_SIDES.find((side) => side === ctx.query.side) ?? null

/** Parses a number with up to six digits and three decimals, such as seconds. Returns null for anything else. */
export const parseNumberParameter = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : null

/** Parses the rule set version whose check to show. Returns null for the current one and for an invalid number. */
export function parseRequestedRuleSetVersion({ ctx: { query } }: PageContext): RequestedRuleSetVersion | null {
  const number = parseNumberParameter(query.version)
  if (number === null || !Number.isInteger(number) || number === 0) return null
  return { number, set: typeof query.set === 'string' && isUuid(query.set) ? query.set : null }
}

/** Parses the rows of a transcript part, such as 150-300 with an exclusive end. Returns null for an invalid or too large range. */
export function parseTranscriptRowRange(text: unknown): TranscriptRowRange | null {
  const [, from, to] = /^(\d{1,6})-(\d{1,6})$/.exec(String(text)) ?? []
  const rows = { from: Number(from), to: Number(to) }
  return rows.to > rows.from && rows.to - rows.from <= MAX_TRANSCRIPT_PART_ROWS ? rows : null
}
