import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

export const rulePublishWords = {
  title: text('Publish', 'Публикация'),
  what: text('Changes', 'Изменения'),
  first: text('This is the first version. All its rules are new.', 'Это первая версия, все правила новые.'),
  effect: text('From now on, this set uses this version.', 'Новые проверки этого набора пойдут по этой версии.'),
  recheckLater: text(
    'Past calls keep their scores until you recheck them.',
    'Оценки прошлых звонков изменятся только после пересчёта.',
  ),
  recheck: text('Recheck past calls', 'Пересчитать прошлые звонки'),
  notCompared: text(
    'This draft has not been tested on past calls yet. A test run shows which calls change.',
    'Черновик ещё не проверялся на прошлых звонках. Прогон покажет, у каких звонков изменится результат.',
  ),
  compare: text('Test first', 'Сначала проверить'),
  compared: pluralTemplate(
    'Tested on {} past {call|calls}: {} changed.',
    'Проверено на {} {звонке|звонках|звонках}, изменилось: {}.',
  ),
  results: text('Show results', 'Показать результаты'),
  attention: text('Check these rules', 'Проверьте эти правила'),
  warnings: {
    neverMet: text('Never met, so they do not distinguish calls:', 'Никогда не выполняются и не различают звонки:'),
    alwaysMet: text('Always met, so they do not distinguish calls:', 'Всегда выполняются и не различают звонки:'),
  },
  zeros: text('Calls with a new score of 0', 'Звонки, которые получат оценку 0'),
  zerosHint: text('Select each rule to confirm.', 'Отметьте каждое правило, чтобы подтвердить.'),
  zero: text(
    (rule: string, n: number, shown: string) => `${rule}: ${shown} ${selectPluralEn(n, 'call', 'calls')}`,
    (rule, n, shown) => `${rule}: ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}`,
  ),
  confirmZeros: text(
    'Confirm the rules that set the score to 0.',
    'Подтвердите правила, из-за которых оценка станет 0.',
  ),
  stale: text(
    'The draft has changed. This is the current draft. Check it and publish again.',
    'Черновик изменился. Ниже его текущий вид. Проверьте его и повторите публикацию.',
  ),
  gone: text('The draft was published or discarded.', 'Черновик опубликован или удалён.'),
  note: text('Note', 'Примечание'),
  noteHint: text('Reason for the change, shown in the list of versions', 'Причина изменения, видна в списке версий'),
  now: text('Publish', 'Опубликовать'),
  done: textTemplate('Version {} is in use.', 'Действует версия {}.'),
}
