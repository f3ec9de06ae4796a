import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const reviewWords = {
  title: text('Reviews', 'Разбор'),
  intro: text(
    'Critical, undetermined, disputed and a random 2% of verdicts.',
    'Критичные, неопределённые, оспоренные и 2\u00a0% случайных.',
  ),
  reasons: text(
    { critical: 'critical', unknown: 'not determined', disputed: 'disputed', random: 'random' },
    { critical: 'критично', unknown: 'не определено', disputed: 'оспорено', random: 'выборочно' },
  ),
  which: text('Reason for review', 'Причина разбора'),
  ruleSet: text('Rule set', 'Набор правил'),
  anySet: text('Any rule set', 'Любой набор'),
  noneTitle: text('All reviewed', 'Всё разобрано'),
  none: text('New verdicts appear here.', 'Новые вердикты появятся здесь.'),
  noneSuch: text('No verdicts of this kind.', 'Таких вердиктов нет.'),
  all: text('Show all', 'Показать все'),
  says: text('Verdict', 'Вердикт'),
  disputeOf: text('Dispute', 'Возражение'),
  right: text('Correct', 'Верно'),
  rightHeard: template('The verdict on “{}” is correct', 'Вердикт «{}» верен'),
  wrong: text('Incorrect…', 'Неверно…'),
  holds: text('Correct verdict', 'Верный вердикт'),
  comment: text('Reason', 'Причина'),
  decide: text('Save', 'Сохранить'),
  decided: text('Verdict saved.', 'Вердикт сохранён.'),
  needsComment: text('Enter a reason.', 'Укажите причину.'),
  outdated: text(
    'The call has been checked again. This verdict is out of date.',
    'Звонок проверен снова. Этот вердикт устарел.',
  ),
  agreement: text('Agreement with reviews', 'Совпадение с разбором'),
  agreementIntro: text(
    'How often reviewers confirmed the verdict. Below 85%, rephrase the rule.',
    'Как часто вердикт подтверждали при разборе. Ниже 85\u00a0% измените формулировку правила.',
  ),
  columns: {
    rule: text('Rule', 'Правило'),
    judged: text('Reviewed', 'Разобрано'),
    agreed: text('Confirmed', 'Подтверждено'),
    percent: text('Agreement', 'Совпадение'),
  },
  flagged: text('rephrase', 'измените'),
  total: pluralTemplate('{} {verdict|verdicts}', '{} {вердикт|вердикта|вердиктов}'),
}
