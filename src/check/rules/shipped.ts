import incoming from './shipped/incoming-sales.json' with { type: 'json' }
import outgoing from './shipped/outgoing-sales.json' with { type: 'json' }
import refusals from './shipped/refusal-reasons.json' with { type: 'json' }
import type { RuleSetBody } from './types.ts'

/** The rule sets of this release, in their initial order. */
export const SHIPPED_RULE_SETS = [incoming, outgoing, refusals] as RuleSetBody[]
