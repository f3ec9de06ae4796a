import { text, textTemplate } from '../frame/words/translation.ts'
import { formatTimeEstimateEn, formatTimeEstimateRu, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

export const recheckWords = {
  title: text('Rechecks', 'Пересчёты'),
  intro: text(
    'Checks the calls of a period again with the current rules. Earlier results and reviews stay.',
    'Звонки за период проверяются снова по действующим правилам. Прежние результаты и разборы остаются.',
  ),
  from: text('From', 'С'),
  to: text('To', 'По'),
  ruleSet: text('Rule set', 'Набор правил'),
  anySet: text('All rule sets', 'Все наборы'),
  ask: text('Estimate', 'Оценить'),
  estimateTitle: text('Recheck', 'Пересчёт'),
  estimated: text(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${selectPluralEn(n, 'call', 'calls')} to recheck, ${formatTimeEstimateEn(seconds)}. New calls are checked first.`,
    (n, shown, seconds) =>
      `Будет проверено снова: ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}, ${formatTimeEstimateRu(seconds)}. Новые звонки проверяются в первую очередь.`,
  ),
  byModel: text(
    (input: string, output: string, cost: string | null) =>
      `The model receives about ${input} tokens and returns ${output}${cost === null ? '' : `, for about ${cost}`}.`,
    (input, output, cost) =>
      `Модель получит около ${input} токенов и вернёт ${output}${cost === null ? '' : `: примерно ${cost}`}.`,
  ),
  begin: text('Start', 'Запустить'),
  begun: text('Recheck started.', 'Пересчёт запущен.'),
  cancelSure: text('Stop the recheck? Results so far stay.', 'Остановить пересчёт? Готовые результаты останутся.'),
  cancelNow: text('Stop', 'Остановить'),
  wasCancelled: text('Recheck stopped.', 'Пересчёт остановлен.'),
  moved: text('This data has changed. Reload the page.', 'Данные изменились. Обновите страницу.'),
  noCalls: text('No calls to recheck in this period.', 'За этот период нет звонков для пересчёта.'),
  off: text('The call check is off on this server.', 'Проверка звонков на этом сервере выключена.'),
  states: text(
    { estimated: 'not started', running: 'running', done: 'done', cancelled: 'stopped' },
    { estimated: 'не начат', running: 'выполняется', done: 'завершён', cancelled: 'остановлен' },
  ),
  columns: {
    when: text('Time', 'Время'),
    period: text('Period', 'Период'),
    ruleSet: text('Rule set', 'Набор правил'),
    progress: text('Checked', 'Проверено'),
    who: text('Person', 'Сотрудник'),
    state: text('Status', 'Статус'),
  },
  progress: textTemplate('{} of {}', '{} из {}'),
  skipped: textTemplate('no matching rule set: {}', 'нет подходящего набора: {}'),
  failed: textTemplate('failed: {}', 'не проверены: {}'),
  emptyTitle: text('No rechecks yet', 'Пересчётов пока нет'),
  empty: text(
    'Past calls keep their scores after you publish rules. Recheck them here.',
    'После публикации правил у прошлых звонков остаются прежние оценки. Пересчитайте их здесь.',
  ),
}
