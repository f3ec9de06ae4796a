import { text, template } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const model = kindView({
  form: ['side', 'na', 'mono'],
  words: {
    title: text('checked by the model', 'проверяет модель'),
    decides: template('the model checks: {}', 'модель проверяет: {}'),
  },
  sentence: (_, t, { explanation }) => [t.decides(explanation)],
})
