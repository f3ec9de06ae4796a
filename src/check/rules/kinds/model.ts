import { createOutcome, type RuleKind } from '../kind.ts'
import { said } from './said.ts'

/** A rule that only an external model can judge, by `hint` or else the name. Without a model, the verdict is unknown. */
export const model: RuleKind = {
  needs: [],
  takes: ['side', 'na', 'mono'],
  findsWords: false,
  async judge() {
    return createOutcome('unknown', { code: 'noAnswer' })
  },
  question: said.question!,
}
