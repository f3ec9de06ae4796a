import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

export const publishWords = {
  title: text('Publish', 'Публикация'),
  what: text('What changes', 'Что изменится'),
  first: text('This is the first version: all its rules are new.', 'Это первая версия: все правила новые.'),
  effect: text(
    'New checks use this version. Calls checked before keep their results until you recheck them.',
    'Следующие проверки пойдут по этой версии. У проверенных звонков результаты останутся, пока вы не перепроверите их.',
  ),
  notCompared: text(
    'Nobody has compared this draft on past calls yet: you would see which calls it changes.',
    'Черновик ещё не сравнивали на прошлых звонках: вы увидели бы, какие из них изменятся.',
  ),
  compare: text('Compare first', 'Сначала сравнить'),
  compared: pluralTemplate(
    'Compared on {} past {call|calls}: {} would be judged otherwise.',
    'Сравнили на {} {звонке|звонках|звонках}: иначе оценены {}.',
  ),
  results: text('See the results', 'Посмотреть результаты'),
  attention: text('Look at these rules', 'Обратите внимание'),
  warnings: {
    neverMet: text('Never hold, so they tell no calls apart:', 'Не выполняются никогда, по ним звонки не отличить:'),
    alwaysMet: text('Always hold, so they tell no calls apart:', 'Выполняются всегда, по ним звонки не отличить:'),
  },
  zeros: text('Calls that would newly get the score 0', 'Звонки, которые впервые получат оценку 0'),
  zerosHint: text('Mark each one to say that this is meant.', 'Отметьте каждое, если так и задумано.'),
  zero: text(
    (rule: string, n: number, shown: string) => `${rule}: ${shown} ${selectPluralEn(n, 'call', 'calls')}`,
    (rule, n, shown) => `${rule}: ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}`,
  ),
  confirmZeros: text('Mark what may newly make calls 0.', 'Отметьте, из-за чего оценка может стать нулевой.'),
  stale: text(
    'Somebody has changed the draft meanwhile: below is what would be published now. Look at it and publish again.',
    'Черновик тем временем изменили: ниже то, что будет опубликовано теперь. Посмотрите и опубликуйте ещё раз.',
  ),
  gone: text(
    'Somebody has published or thrown away the draft meanwhile.',
    'Черновик тем временем опубликовали или удалили.',
  ),
  note: text('Note', 'Примечание'),
  noteHint: text('Why it changes: it stands in the list of versions.', 'Зачем меняется: будет видно в списке версий.'),
  now: text('Publish', 'Опубликовать'),
  done: template('Version {} is in use.', 'Действует версия {}.'),
}
