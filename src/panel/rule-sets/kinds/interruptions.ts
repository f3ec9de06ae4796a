import { text, textTemplate } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const interruptionsRuleKindView = defineRuleKindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('times', 'раз'),
  measured: textTemplate('interruptions: {}', '{} раз'),
  words: {
    title: text('interruptions', 'перебивания'),
    interrupts: pluralTemplate('{} interrupts {} {time|times}', '{} перебивает {} {раза|раз}'),
  },
  sentence: (_, t, { who, bounds, last }) => [t.interrupts(last, who, bounds)],
})
