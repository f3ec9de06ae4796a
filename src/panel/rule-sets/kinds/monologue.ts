import { both, template } from '../../frame/words/translation.ts'
import { formEn, genitiveRu } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const monologue = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: both('seconds', 'секунд'),
  measured: template('{} s without a pause', '{} с без остановки'),
  words: {
    title: both('speaking without a break', 'речь без остановки'),
    speaks: both(
      (who: string, length: string, n: number) =>
        `${who} speaks without a break for ${length} ${formEn(n, 'second', 'seconds')}`,
      (who, length, n) => `${who} говорит без остановки ${length} ${genitiveRu(n, 'секунды', 'секунд')}`,
    ),
  },
  sentence: (_, t, { who, bounds, last }) => [t.speaks(who, bounds, last)],
})
