import { text, textTemplate } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const monologueRuleKindView = defineRuleKindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('seconds', 'секунд'),
  measured: textTemplate('{} s without a pause', '{} с без остановки'),
  words: {
    title: text('monologue', 'монолог'),
    speaks: pluralTemplate(
      '{} speaks without a break for {} {second|seconds}',
      '{} говорит без остановки {} {секунды|секунд}',
    ),
  },
  sentence: (_, t, { who, bounds, last }) => [t.speaks(last, who, bounds)],
})
