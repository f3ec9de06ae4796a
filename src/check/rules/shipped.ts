import incoming from './shipped/incoming-sales.json' with { type: 'json' }
import outgoing from './shipped/outgoing-sales.json' with { type: 'json' }
import refusals from './shipped/refusal-reasons.json' with { type: 'json' }
import type { RuleSetBody } from './types.ts'

/** The rule sets that come with the product, in the order in which they are tried. */
export const SHIPPED = [incoming, outgoing, refusals] as RuleSetBody[]
