import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

const formatBounds = (min: string | null, max: string | null, least: string, most: string): string =>
  min !== null && max !== null ? `${min}–${max}` : max === null ? `${least} ${min}` : `${most} ${max}`

export const checkWords = {
  title: text('Call check', 'Проверка звонка'),
  score: template('{} of 100', '{} из 100'),
  states: {
    none: text('This call was not checked.', 'Этот звонок не проверялся.'),
    queued: text('The check is in the queue.', 'Проверка в очереди.'),
    running: text('The call is being checked.', 'Звонок проверяется.'),
    failed: text('The check failed.', 'Проверить не удалось.'),
  },
  corrected: text(
    'The call was corrected after this check. Other rules may apply now: check it again.',
    'Звонок исправили после этой проверки. Теперь могут действовать другие правила: проверьте его снова.',
  ),
  earlierStands: text('What the earlier check has found stands below.', 'Ниже — результат прошлой проверки.'),
  reasons: {
    noTranscript: text('There is no text to check.', 'Проверять нечего: текста нет.'),
    noRuleSet: text('No rule set applies to this call.', 'Ни один набор правил к этому звонку не относится.'),
    off: text('The call check is off: ANALYSIS_PROVIDER is none.', 'Проверка выключена: ANALYSIS_PROVIDER=none.'),
    automaticOff: text('Automatic checking is off.', 'Автоматическая проверка выключена.'),
  },
  noScoreSet: text(
    'No rule set with a score applies to this call.',
    'Ни один набор с баллами к этому звонку не относится.',
  ),
  noScore: text(
    'No score: less than half of what counts could be judged.',
    'Оценки нет: судить удалось меньше чем о половине.',
  ),
  coverage: template('{} % could be judged', 'удалось проверить {} % баллов'),
  beforeCritical: template('{} without what is critical', 'без критичного было бы {}'),
  byMachine: template('the machine’s own score: {}', 'оценка машины: {}'),
  oneChannel: pluralTemplate(
    'The sound has one channel, so nobody knows who speaks: {} {rule|rules} could not be judged.',
    'Звук в одном канале, и кто говорит, неизвестно: {} {правило|правила|правил} проверить нельзя.',
  ),
  mock: text(
    'Invented for a demonstration: nothing of it is true of this call.',
    'Придумано для показа: к этому звонку не относится.',
  ),
  mockName: text('demonstration', 'показ'),
  provider: text<Record<string, string>>({ rules: 'rules', mock: 'mock' }, { rules: 'правила', mock: 'mock' }),
  version: template('version {}', 'версия {}'),
  otherVersions: text('Versions', 'Версии'),
  olderVersion: template(
    'As version {} judged it, which is not what holds now.',
    'Так судила версия {}; сейчас действует другая.',
  ),
  toCurrent: text('Show what holds', 'Показать действующее'),
  usage: template('tokens: {} + {}', 'токены: {} + {}'),
  switchOn: text('Switch on automatic checking', 'Включить автоматическую проверку'),
  history: template('History: {}', 'История: {}'),
  rerun: text('Check again', 'Проверить снова'),
  pin: text('Try rules on this call', 'Пробовать правила на этом звонке'),
  runFirst: text('Check this call', 'Проверить звонок'),
  verdicts: text<Record<string, string>>(
    { met: 'met', missed: 'missed', not_applicable: 'not applicable', unknown: 'unknown' },
    { met: 'да', missed: 'нет', not_applicable: 'не относится', unknown: 'неизвестно' },
  ),
  critical: text('critical', 'критично'),
  weight: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
  apart: {
    not_applicable: template('Not applicable: {}', 'Не относится: {}'),
    unknown: template('Could not be judged: {}', 'Судить не удалось: {}'),
  },
  labels: text('Found in the call', 'Прозвучало в звонке'),
  moreQuotes: pluralTemplate('{} more {place|places} in the text', 'ещё {} {место|места|мест} в тексте'),
  why: {
    notFound: template('Not said in {}.', 'Не прозвучало: {}.'),
    tooFew: template('{} of {} in {}.', '{} из {}: {}.'),
    lookedIn: template('Looked in {}.', 'Искали: {}.'),
    noAnchor: text('There was no occasion for it.', 'Повода не было.'),
    noReply: text('No answer followed.', 'Ответа не было.'),
    noReplyWithin: template('No answer within {} s.', 'За {} с ответа не было.'),
    notInOrder: template('Step {} is missing, or not in its place.', 'Шага {} нет, или он не на месте.'),
    expected: text(
      (min: string | null, max: string | null) => `expected ${formatBounds(min, max, 'at least', 'at most')}`,
      (min, max) => `ожидается ${formatBounds(min, max, 'от', 'до')}`,
    ),
    speakersUnknown: text('Nobody knows who speaks.', 'Кто говорит, неизвестно.'),
    nothingSaid: text('There is nothing to measure.', 'Измерять нечего.'),
    noAnswer: text('The model has given no answer.', 'Модель не ответила.'),
  },
  judge: text('Judge', 'Решить'),
  dispute: text('Dispute', 'Оспорить'),
  /** The accessible name of the verdict that opens its form. */
  judgeRule: template('judge “{}”', 'решить: «{}»'),
  disputeRule: template('dispute “{}”', 'оспорить: «{}»'),
  holds: text('What holds', 'Что верно'),
  comment: text('Comment', 'Комментарий'),
  commentHint: text('Needed where you say other than the machine.', 'Нужен, если вы решаете иначе, чем машина.'),
  whyNot: text('Why it is wrong', 'Что не так'),
  judged: text('Your verdict is saved.', 'Ваше решение сохранено.'),
  disputed: text('Noted: somebody who may change rules decides.', 'Отмечено: решит тот, кто вправе менять правила.'),
  said: template('{}: {}', '{}: {}'),
  machineSaid: template('machine: {}', 'машина: {}'),
  undone: template('{} took back the decision', '{}: решение отменено'),
  disputedBy: template('{} disputes it', '{} не согласен'),
  outdated: text(
    'This was not possible: the call has been checked again in the meantime. You see the new check.',
    'Не получилось: звонок тем временем проверили снова. Ниже — новая проверка.',
  ),
}
