import { both } from '../../frame/words/translation.ts'
import { formEn, genitiveRu } from '../../frame/words/grammar.ts'
import { kindView } from '../kind.ts'

export const asked = kindView({
  form: ['side', 'any', 'window', 'bounds', 'groups', 'after', 'except', 'na', 'mono'],
  unit: both('questions', 'вопросов'),
  words: {
    title: both('questions are asked', 'заданы вопросы'),
    once: both('at least 1', 'не меньше 1'),
    asks: both(
      (times: string, n: number) => `asks ${times} ${formEn(n, 'question', 'questions')} with one of`,
      (times, n) => `задаёт ${times} ${genitiveRu(n, 'вопроса', 'вопросов')} со словами:`,
    ),
  },
  sentence: ({ any }, t, { who, bounds, last, list, groups }) => [
    who,
    bounds ? t.asks(bounds, last) : t.asks(t.once, 1),
    list(any),
    ...groups(),
  ],
})
