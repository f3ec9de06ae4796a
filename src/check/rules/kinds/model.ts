import { createRuleOutcome, type RuleKind } from '../kind.ts'
import { saidRuleKind } from './said.ts'

/** A rule that only an external model can judge, by `hint` or else the name. Without a model, the verdict is unknown. */
export const modelRuleKind: RuleKind = {
  needs: [],
  takes: ['side', 'na', 'mono'],
  findsWords: false,
  async judge() {
    return createRuleOutcome('unknown', { code: 'noAnswer' })
  },
  question: saidRuleKind.question!,
}
