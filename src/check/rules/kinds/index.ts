// All kinds of rules. Each export must have the name of its kind in RULE_KIND_NAMES (values.ts).
export { saidRuleKind as said } from './said.ts'
export { notSaidRuleKind as notSaid } from './not-said.ts'
export { askedRuleKind as asked } from './asked.ts'
export { replyRuleKind as reply } from './reply.ts'
export { orderRuleKind as order } from './order.ts'
export {
  talkShareRuleKind as talkShare,
  longestSilenceRuleKind as longestSilence,
  paceRuleKind as pace,
  interruptionsRuleKind as interruptions,
  monologueRuleKind as monologue,
} from './measured.ts'
export { numberRuleKind as number } from './number.ts'
export { modelRuleKind as model } from './model.ts'
