import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

const joinEn = new Intl.ListFormat('en')
const joinRu = new Intl.ListFormat('ru')

/** Texts about the order of rule sets, which decides the set that checks a call. */
export const ruleSetOrderWords = {
  groups: text(
    {
      departments: 'For departments: these come first',
      all: 'For all calls',
      labels: 'Labels: every matching set applies',
    },
    {
      departments: 'Для отделов: всегда идут первыми',
      all: 'Для всех звонков',
      labels: 'Метки: работают все подходящие наборы',
    },
  ),
  effect: text(
    'The new order applies to future checks. Existing results stay.',
    'Новый порядок действует для следующих проверок, готовые результаты не меняются.',
  ),
  keys: text('Alt+↑ and Alt+↓ move a set.', 'Alt+↑ и Alt+↓ переставляют набор.'),
  drag: text('Drag to change the order', 'Перетащите, чтобы изменить порядок'),
  moves: text({ up: 'Move up', down: 'Move down' }, { up: 'Выше', down: 'Ниже' }),
  moved: textTemplate(
    '“{}” moved. The new order applies to future checks.',
    'Набор «{}» переставлен. Новый порядок действует для следующих проверок.',
  ),
}

/** Texts about the recent calls that a set would check, shown before it is published. */
export const ruleSetReachWords = {
  title: text('Calls of this set', 'Звонки этого набора'),
  none: text(
    'No calls in the last 30 days match this set.',
    'За последние 30 дней нет звонков, которые подходят этому набору.',
  ),
  all: pluralTemplate(
    'This set would score {} {call|calls} from the last 30 days: all that match it.',
    'Набор оценил бы {} {звонок|звонка|звонков} за последние 30 дней — все подходящие.',
  ),
  labels: pluralTemplate(
    'This set would label {} {call|calls} from the last 30 days: all that match it.',
    'Набор поставил бы метки {} {звонку|звонкам|звонкам} за последние 30 дней — всем подходящим.',
  ),
  some: text(
    (names: string[], received: string, n: number, total: string) =>
      `${joinEn.format(names.map((name) => `“${name}”`))} ${names.length === 1 ? 'comes' : 'come'} first: this set would score ${received} of ${total} ${selectPluralEn(n, 'call', 'calls')}.`,
    (names, received, n, total) =>
      `Раньше ${names.length === 1 ? 'идёт' : 'идут'} ${joinRu.format(names.map((name) => `«${name}»`))}: этот набор оценил бы ${received} из ${total} ${selectPluralRu(n, 'звонка', 'звонков', 'звонков')}.`,
  ),
  counted: text(
    'Based on calls from the last 30 days that match this set.',
    'Учтены звонки за последние 30 дней, которые подходят набору.',
  ),
  countedNewest: text(
    'Based on the latest 1,000 calls from the last 30 days.',
    'Посчитаны последние 1 000 звонков за 30 дней.',
  ),
  getsInstead: text(
    (name: string, n: number, shown: string) => `“${name}” gets ${shown} ${selectPluralEn(n, 'call', 'calls')}.`,
    (name, n, shown) => `«${name}» получает ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}.`,
  ),
  departmentsFirst: text('Sets for departments always come first.', 'Наборы отделов всегда идут первыми.'),
  moveBefore: textTemplate('Move before “{}”', 'Поставить перед «{}»'),
  movesNow: text(
    'The order changes at once, for the published version too.',
    'Порядок изменится сразу, в том числе для опубликованной версии.',
  ),
}
