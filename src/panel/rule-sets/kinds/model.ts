import { text, textTemplate } from '../../frame/words/translation.ts'
import { defineRuleKindView } from '../kind.ts'

export const modelRuleKindView = defineRuleKindView({
  form: ['side', 'na', 'mono'],
  words: {
    title: text('checked by the model', 'проверяет модель'),
    decides: textTemplate('the model checks: {}', 'модель проверяет: {}'),
  },
  sentence: (_, t, { explanation }) => [t.decides(explanation)],
})
