import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

const formatBounds = (min: string | null, max: string | null, least: string, most: string): string =>
  min !== null && max !== null ? `${min}–${max}` : max === null ? `${least} ${min}` : `${most} ${max}`

export const checkWords = {
  title: text('Call check', 'Проверка звонка'),
  score: template('{} of 100', '{} из 100'),
  states: {
    none: text('This call has not been checked.', 'Звонок не проверялся.'),
    queued: text('The check is queued.', 'Проверка в очереди.'),
    running: text('The call is being checked.', 'Звонок проверяется.'),
    failed: text('The check failed.', 'Звонок не проверен.'),
  },
  corrected: text(
    'The call was edited after this check. Check it again.',
    'Звонок изменили после проверки. Проверьте его снова.',
  ),
  earlierStands: text('The previous result is below.', 'Ниже результат прошлой проверки.'),
  reasons: {
    noTranscript: text('There is no transcript to check.', 'Проверять нечего: расшифровки нет.'),
    noRuleSet: text('No rule set applies to this call.', 'Ни один набор правил не подходит к звонку.'),
    off: text('The call check is off: ANALYSIS_PROVIDER is none.', 'Проверка выключена: ANALYSIS_PROVIDER=none.'),
    automaticOff: text('Automatic checking is off.', 'Автоматическая проверка выключена.'),
  },
  noScoreSet: text('No scored rule set applies to this call.', 'Ни один набор с баллами не подходит к звонку.'),
  noScore: text(
    'No score. Less than half of the points were checked.',
    'Нет оценки: проверено меньше половины баллов.',
  ),
  coverage: template('{}% of points checked', 'проверено {}\u00a0% баллов'),
  beforeCritical: template('{} before critical rules', 'без критичных правил: {}'),
  byMachine: template('automatic score: {}', 'автоматическая оценка: {}'),
  oneChannel: pluralTemplate(
    'Mono recording, {} {rule|rules} not checked.',
    'Запись в одном канале, не {проверено|проверены|проверено} {} {правило|правила|правил}.',
  ),
  mock: text('Demo data, not about this call.', 'Демо, не об этом звонке.'),
  mockName: text('demo', 'демо'),
  provider: text<Record<string, string>>({ rules: 'rules', mock: 'mock' }, { rules: 'правила', mock: 'mock' }),
  version: template('version {}', 'версия {}'),
  otherVersions: text('Versions', 'Версии'),
  olderVersion: template('Result of version {}. A newer one is in use.', 'Результат версии {}, действует другая.'),
  toCurrent: text('Show current result', 'Показать текущий результат'),
  usage: template('tokens: {} + {}', 'токены: {} + {}'),
  switchOn: text('Turn on automatic checks', 'Включить автоматическую проверку'),
  history: template('History: {}', 'История: {}'),
  rerun: text('Check again', 'Проверить снова'),
  pin: text('Test rules on this call', 'Проверить правила на звонке'),
  runFirst: text('Check this call', 'Проверить звонок'),
  verdicts: text<Record<string, string>>(
    { met: 'met', missed: 'missed', not_applicable: 'not applicable', unknown: 'not determined' },
    { met: 'выполнено', missed: 'не выполнено', not_applicable: 'неприменимо', unknown: 'не определено' },
  ),
  critical: text('critical', 'критично'),
  weight: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
  apart: {
    not_applicable: template('Not applicable: {}', 'Неприменимо: {}'),
    unknown: template('Not determined: {}', 'Не определено: {}'),
  },
  labels: text('Labels', 'Метки'),
  moreQuotes: pluralTemplate('{} more {quote|quotes} in the transcript', 'ещё {} {место|места|мест} в расшифровке'),
  why: {
    notFound: template('Not said in {}.', 'Не сказано в {}.'),
    tooFew: template('{} of {} in {}.', '{} из {} в {}.'),
    lookedIn: template('Searched in {}.', 'Поиск в {}.'),
    noAnchor: text('The situation did not arise.', 'Ситуация не возникла.'),
    noReply: text('No answer followed.', 'Ответа не было.'),
    noReplyWithin: template('No answer within {} s.', 'За {} с ответа не было.'),
    notInOrder: template('Step {} is missing or out of order.', 'Шага {} нет, или он не на месте.'),
    expected: text(
      (min: string | null, max: string | null) => `expected ${formatBounds(min, max, 'at least', 'at most')}`,
      (min, max) => `ожидается ${formatBounds(min, max, 'от', 'до')}`,
    ),
    speakersUnknown: text('The speakers are unknown.', 'Неизвестно, кто говорит.'),
    nothingSaid: text('There is nothing to measure.', 'Измерять нечего.'),
    noAnswer: text('The model did not answer.', 'Модель не ответила.'),
  },
  groups: text({ missed: 'Missed', met: 'Met' }, { missed: 'Не выполнено', met: 'Выполнено' }),
  rules: pluralTemplate('{} {rule|rules}', '{} {правило|правила|правил}'),
  /** The points of some rules, and of all that were judged. */
  pointsOf: template('{} of {} points', '{} из {} баллов'),
  change: text('Change', 'Изменить'),
  dispute: text('Dispute', 'Оспорить'),
  holds: text('Correct verdict', 'Верный вердикт'),
  comment: text('Comment', 'Комментарий'),
  commentHint: text('Required if you change the verdict', 'Нужен, если меняете вердикт'),
  whyNot: text('What is wrong', 'Что неверно'),
  judged: text('Verdict saved.', 'Вердикт сохранён.'),
  disputed: text('Dispute sent for review', 'Отправлено на разбор'),
  said: template('{}: {}', '{}: {}'),
  machineSaid: template('automatic: {}', 'автоматически: {}'),
  disputedBy: template('disputed by {}', 'оспорил: {}'),
  outdated: text(
    'The call has been checked again. This is the new result.',
    'Звонок проверен снова. Это новый результат.',
  ),
}
