import { text, template } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const interruptions = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('times', 'раз'),
  measured: template('{} times', '{} раз'),
  words: {
    title: text('interruptions', 'перебивание'),
    interrupts: pluralTemplate('{} interrupts {} {time|times}', '{} перебивает {} {раза|раз}'),
  },
  sentence: (_, t, { who, bounds, last }) => [t.interrupts(last, who, bounds)],
})
