import { text } from '../../frame/words/translation.ts'
import { pluralTemplate } from '../../frame/words/grammar.ts'
import { defineRuleKindView } from '../kind.ts'

export const saidRuleKindView = defineRuleKindView({
  form: ['side', 'any', 'window', 'bounds', 'groups', 'after', 'except', 'na', 'mono'],
  unit: text('times', 'раз'),
  words: {
    title: text('phrase said', 'фраза сказана'),
    says: text('says one of', 'говорит одно из:'),
    saysOften: pluralTemplate('says {} {time|times} any of', 'говорит {} {раза|раз} одно из:'),
    saysEach: text('says one of', 'говорит что-то из'),
  },
  sentence({ any, min = 1, max }, t, { who, bounds, last, list, groups }) {
    if (!any) return [who, ...groups(t.saysEach)]
    return [who, min > 1 || max !== undefined ? t.saysOften(last, bounds) : t.says, list(any), ...groups()]
  },
})
