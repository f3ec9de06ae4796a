import { text } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const askedRuleKindView = defineRuleKindView({
  form: ['side', 'any', 'window', 'bounds', 'groups', 'after', 'except', 'na', 'mono'],
  unit: text('questions', 'вопросов'),
  words: {
    title: text('questions', 'вопросы'),
    once: text('at least 1', 'не меньше 1'),
    asks: pluralTemplate('asks {} {question|questions} with', 'задаёт {} {вопроса|вопросов} со словами:'),
  },
  sentence: ({ any }, t, { who, bounds, last, list, groups }) => [
    who,
    bounds ? t.asks(last, bounds) : t.asks(1, t.once),
    list(any),
    ...groups(),
  ],
})
