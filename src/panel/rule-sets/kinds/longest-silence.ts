import { text, textTemplate } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const longestSilenceRuleKindView = defineRuleKindView({
  form: ['bounds'],
  unit: text('seconds', 'секунд'),
  measured: textTemplate('{} s of silence', 'тишина {} с'),
  words: {
    title: text('longest silence', 'самая долгая пауза'),
    lasts: pluralTemplate('the longest silence is {} {second|seconds}', 'самая долгая пауза — {} {секунды|секунд}'),
  },
  sentence: (_, t, { bounds, last }) => [t.lasts(last, bounds)],
})
