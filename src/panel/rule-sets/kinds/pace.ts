import { text, textTemplate } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const paceRuleKindView = defineRuleKindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('words a minute', 'слов в минуту'),
  measured: textTemplate('{} words a minute', '{} слов в минуту'),
  words: {
    title: text('speaking rate', 'темп речи'),
    speaks: pluralTemplate('{} speaks {} {word|words} a minute', '{} говорит {} {слова|слов} в минуту'),
  },
  sentence: (_, t, { who, bounds, last }) => [t.speaks(last, who, bounds)],
})
