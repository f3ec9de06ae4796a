import { both, template } from '../../frame/words/translation.ts'
import { formEn, genitiveRu } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const longestSilence = kindView({
  form: ['bounds'],
  unit: both('seconds', 'секунд'),
  measured: template('{} s of silence', 'тишина {} с'),
  words: {
    title: both('longest silence', 'самая долгая пауза'),
    lasts: both(
      (length: string, n: number) => `the longest silence lasts ${length} ${formEn(n, 'second', 'seconds')}`,
      (length, n) => `самая долгая пауза — ${length} ${genitiveRu(n, 'секунды', 'секунд')}`,
    ),
  },
  sentence: (_, t, { bounds, last }) => [t.lasts(bounds, last)],
})
