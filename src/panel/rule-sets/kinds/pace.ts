import { both, template } from '../../frame/words/translation.ts'
import { formEn, genitiveRu } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const pace = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: both('words a minute', 'слов в минуту'),
  measured: template('{} words a minute', '{} слов в минуту'),
  words: {
    title: both('pace of speech', 'темп речи'),
    speaks: both(
      (who: string, words: string, n: number) => `${who} speaks ${words} ${formEn(n, 'word', 'words')} a minute`,
      (who, words, n) => `${who} говорит ${words} ${genitiveRu(n, 'слова', 'слов')} в минуту`,
    ),
  },
  sentence: (_, t, { who, bounds, last }) => [t.speaks(who, bounds, last)],
})
