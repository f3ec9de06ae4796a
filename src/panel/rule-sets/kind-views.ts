import { RULE_KIND_NAMES } from '../../check/rules/values.ts'
import type { RuleKindName } from '../../check/rules/types.ts'
import type { RuleKindView } from './kind.ts'
import * as views from './kinds/index.ts'

export const RULE_KIND_VIEWS: Record<RuleKindName, RuleKindView> = views

export const RULE_KIND_WORDS = Object.fromEntries(
  RULE_KIND_NAMES.map((kind) => [kind, RULE_KIND_VIEWS[kind].words]),
) as Record<RuleKindName, RuleKindView['words']>

/** Returns true if the text is the name of a rule kind. */
export const isRuleKind = (text: string): text is RuleKindName => Object.hasOwn(RULE_KIND_VIEWS, text)
