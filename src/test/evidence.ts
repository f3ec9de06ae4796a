import type { Evidence } from '../check/rules/types.ts'

/** A quote of the agent in the first segment. @param start in seconds */
export const createEvidence = (quote: string, start: number): Evidence => ({
  segment: 0,
  from: 0,
  to: quote.length,
  quote,
  start,
  end: start + 1,
  side: 'agent',
})
