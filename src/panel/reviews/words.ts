import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const reviewWords = {
  title: text('To be judged', 'На решение'),
  intro: text(
    'Verdicts that a person should look at: critical ones, those that could not be judged, those that somebody disputes, and one of fifty at random.',
    'Что стоит посмотреть человеку: критичное, неизвестное, оспоренное и каждое пятидесятое наугад.',
  ),
  reasons: text(
    { critical: 'critical', unknown: 'unknown', disputed: 'disputed', random: 'at random' },
    { critical: 'критично', unknown: 'неизвестно', disputed: 'оспорено', random: 'наугад' },
  ),
  which: text('Why they wait', 'Почему ждут'),
  ruleSet: text('Rule set', 'Набор правил'),
  anySet: text('Any rule set', 'Любой набор'),
  noneTitle: text('Nothing waits', 'Ничего не ждёт'),
  none: text(
    'As soon as a check finds something that a person should judge, it stands here.',
    'Как только проверка найдёт то, что должен решить человек, оно появится здесь.',
  ),
  noneSuch: text('Nothing of this kind waits.', 'Такого сейчас нет.'),
  all: text('Show all', 'Показать всё'),
  says: text('The check says', 'Проверка считает'),
  disputeOf: text('Against it', 'Возражение'),
  right: text('Right', 'Верно'),
  rightHeard: template('The verdict on “{}” is right', 'Решение о «{}» верно'),
  wrong: text('Wrong…', 'Неверно…'),
  holds: text('What holds', 'Как на самом деле'),
  comment: text('Why', 'Почему'),
  decide: text('Decide', 'Решить'),
  decided: text('Your verdict is saved.', 'Ваше решение сохранено.'),
  needsComment: text('Say why it is another.', 'Напишите, почему иначе.'),
  outdated: text(
    'The call has been checked again meanwhile: this verdict does not hold any more.',
    'Звонок тем временем проверили снова: это решение больше не действует.',
  ),
  agreement: text('Agreement with people', 'Согласие с людьми'),
  agreementIntro: text(
    'How often people who judged a verdict said the same. Below 85 % the words of the rule need a look.',
    'Как часто люди, принимая решение, говорили то же самое. Ниже 85 % стоит поправить слова правила.',
  ),
  columns: {
    rule: text('Rule', 'Правило'),
    judged: text('Judged', 'Решений'),
    agreed: text('Agreed', 'Совпало'),
    percent: text('Agreement', 'Согласие'),
  },
  flagged: text('needs a look', 'посмотрите'),
  total: pluralTemplate('{} {verdict|verdicts}', '{} {решение|решения|решений}'),
}
