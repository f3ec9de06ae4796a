import { both, template } from '../../frame/words/translation.ts'
import { formEn, genitiveRu } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const interruptions = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: both('times', 'раз'),
  measured: template('{} times', '{} раз'),
  words: {
    title: both('interruptions', 'перебивания'),
    interrupts: both(
      (who: string, times: string, n: number) => `${who} interrupts ${times} ${formEn(n, 'time', 'times')}`,
      (who, times, n) => `${who} перебивает ${times} ${genitiveRu(n, 'раза', 'раз')}`,
    ),
  },
  sentence: (_, t, { who, bounds, last }) => [t.interrupts(who, bounds, last)],
})
