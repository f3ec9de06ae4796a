import { both, template } from '../frame/words/translation.ts'
import { counted } from '../frame/words/grammar.ts'

/** Verdicts that wait for a person, and how often people agree with the machine. */
export const reviews = {
  title: both('To be judged', 'На решение'),
  intro: both(
    'Verdicts that a person should look at: critical ones, those that could not be judged, those that somebody disputes, and one of fifty at random.',
    'Что стоит посмотреть человеку: критичное, неизвестное, оспоренное и каждое пятидесятое наугад.',
  ),
  reasons: both(
    { critical: 'critical', unknown: 'unknown', disputed: 'disputed', random: 'at random' },
    { critical: 'критично', unknown: 'неизвестно', disputed: 'оспорено', random: 'наугад' },
  ),
  which: both('Why they wait', 'Почему ждут'),
  ruleSet: both('Rule set', 'Набор правил'),
  anySet: both('Any rule set', 'Любой набор'),
  noneTitle: both('Nothing waits', 'Ничего не ждёт'),
  none: both(
    'As soon as a check finds something that a person should judge, it stands here.',
    'Как только проверка найдёт то, что должен решить человек, оно появится здесь.',
  ),
  noneSuch: both('Nothing of this kind waits.', 'Такого сейчас нет.'),
  all: both('Show all', 'Показать всё'),
  says: both('The check says', 'Проверка считает'),
  disputeOf: both('Against it', 'Возражение'),
  right: both('Right', 'Верно'),
  rightHeard: template('The verdict on “{}” is right', 'Решение о «{}» верно'),
  wrong: both('Wrong…', 'Неверно…'),
  holds: both('What holds', 'Как на самом деле'),
  comment: both('Why', 'Почему'),
  decide: both('Decide', 'Решить'),
  decided: both('Your verdict is saved.', 'Ваше решение сохранено.'),
  needsComment: both('Say why it is another.', 'Напишите, почему иначе.'),
  outdated: both(
    'The call has been checked again meanwhile: this verdict does not hold any more.',
    'Звонок тем временем проверили снова: это решение больше не действует.',
  ),
  agreement: both('Agreement with people', 'Согласие с людьми'),
  agreementIntro: both(
    'How often people who judged a verdict said the same. Below 85 % the words of the rule need a look.',
    'Как часто люди, принимая решение, говорили то же самое. Ниже 85 % стоит поправить слова правила.',
  ),
  columns: {
    rule: both('Rule', 'Правило'),
    judged: both('Judged', 'Решений'),
    agreed: both('Agreed', 'Совпало'),
    percent: both('Agreement', 'Согласие'),
  },
  flagged: both('needs a look', 'посмотрите'),
  total: counted('{} {verdict|verdicts}', '{} {решение|решения|решений}'),
}
