// All kinds of rules. Each export must have the name of its kind in RULE_KIND_NAMES (values.ts).
export { said } from './said.ts'
export { notSaid } from './not-said.ts'
export { asked } from './asked.ts'
export { reply } from './reply.ts'
export { order } from './order.ts'
export { talkShare, longestSilence, pace, interruptions, monologue } from './measured.ts'
export { number } from './number.ts'
export { model } from './model.ts'
