import { createOutcome, type RuleKind } from '../kind.ts'
import { said } from './said.ts'

/** An external model answers `hint`, or the name; without an answer the verdict is unknown. */
export const model: RuleKind = {
  needs: [],
  takes: ['side', 'na', 'mono'],
  findsWords: false,
  async judge() {
    return createOutcome('unknown', { code: 'noAnswer' })
  },
  question: said.question!,
}
