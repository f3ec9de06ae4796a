import type { Evidence } from '../check/rules/types.ts'

/**
 * Creates evidence with a quote of the agent in the first segment.
 * @param start seconds
 */
export const createQuoteEvidence = (quote: string, start: number): Evidence => ({
  segment: 0,
  from: 0,
  to: quote.length,
  quote,
  start,
  end: start + 1,
  side: 'agent',
})
