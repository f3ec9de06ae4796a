// Each kind of rules. An export has the name of its kind in KINDS (values.ts).
export { said } from './said.ts'
export { notSaid } from './not-said.ts'
export { asked } from './asked.ts'
export { reply } from './reply.ts'
export { order } from './order.ts'
export { talkShare, longestSilence, pace, interruptions, monologue } from './measured.ts'
export { number } from './number.ts'
export { model } from './model.ts'
