import { text, textTemplate } from '../frame/words/translation.ts'
import {
  pluralTemplate,
  formatTimeEstimateEn,
  formatTimeEstimateRu,
  selectPluralEn,
  selectPluralRu,
} from '../frame/words/grammar.ts'

export const backtestWords = {
  title: text('Test run', 'Прогон на прошлых звонках'),
  intro: text(
    'Compares the draft with the published version on recent calls of the period. Scores do not change.',
    'Сравнивает черновик с действующей версией на последних звонках за период. Оценки не меняются.',
  ),
  introFirst: text(
    'Checks recent calls of the period with the draft. Scores do not change.',
    'Проверяет последние звонки за период по черновику. Оценки не меняются.',
  ),
  noDraft: text('There is no draft to test.', 'Нет черновика для прогона.'),
  from: text('From', 'С'),
  to: text('To', 'По'),
  limit: text('Maximum calls', 'Максимум звонков'),
  start: text('Start test run', 'Запустить прогон'),
  estimate: text('Estimate', 'Оценить'),
  estimated: text(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${selectPluralEn(n, 'transcribed call', 'transcribed calls')}, ${formatTimeEstimateEn(seconds)}.`,
    (n, shown, seconds) =>
      `${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')} с расшифровкой, ${formatTimeEstimateRu(seconds)}.`,
  ),
  byModel: text(
    (input: string, output: string, cost: string | null, seconds: number) =>
      `A check with the model would send about ${input} tokens, receive ${output}${cost === null ? '' : `, cost ${cost}`} and take ${formatTimeEstimateEn(seconds)}. The test run uses phrases only.`,
    (input, output, cost, seconds) =>
      `Проверка с моделью потребовала бы около ${input} токенов в запросах и ${output} в ответах${cost === null ? '' : `, ${cost}`}, ${formatTimeEstimateRu(seconds)}. Прогон использует только фразы.`,
  ),
  earlier: text('Earlier test runs', 'Прошлые прогоны'),
  columns: {
    when: text('Time', 'Время'),
    period: text('Period', 'Период'),
    calls: text('Calls', 'Звонки'),
    changed: text('Changed', 'Изменились'),
    who: text('Person', 'Сотрудник'),
    state: text('Status', 'Статус'),
  },
  states: text(
    { running: 'running', done: 'done', cancelled: 'stopped', failed: 'failed' },
    { running: 'выполняется', done: 'завершён', cancelled: 'остановлен', failed: 'не выполнен' },
  ),
  resultTitle: text('Results', 'Результаты'),
  older: text(
    'The draft has changed since then. Run the test again.',
    'С тех пор черновик изменился. Запустите прогон снова.',
  ),
  again: text('Run again', 'Запустить снова'),
  progress: textTemplate('{} of {} calls', '{} из {} звонков'),
  cancelled: text(
    'Stopped. The figures cover the calls checked until then.',
    'Прогон остановлен. Учтены звонки, проверенные до остановки.',
  ),
  noCalls: text('No calls in this period match the set.', 'За этот период нет подходящих звонков.'),
  cards: {
    judged: text('Calls checked', 'Проверено звонков'),
    skipped: pluralTemplate('{} {has|have} too few words', 'слишком мало слов: {}'),
    scoredByOthers: pluralTemplate(
      '{} {goes|go} to sets that come first',
      '{} {проверяется|проверяются|проверяются} по наборам, которые идут раньше',
    ),
    changed: text('Changed', 'Изменились'),
    zeros: text('New zeros', 'Новые нули'),
    zerosNote: text('critical rule missed, or no points', 'не выполнено критичное правило или нет ни одного балла'),
    agreement: text('Agreement with reviews', 'Совпадение с разбором'),
    agreementNote: textTemplate('now {}, verdicts reviewed: {}', 'сейчас {}, разобрано вердиктов: {}'),
    noVerdicts: text('no reviewed verdicts yet', 'разобранных вердиктов пока нет'),
  },
  rules: text('Rules', 'Правила'),
  ruleColumns: {
    rule: text('Rule', 'Правило'),
    old: text('Now', 'Сейчас'),
    new: text('Draft', 'Черновик'),
    difference: text('Difference', 'Разница'),
    agreement: text('Agreement with reviews', 'Совпадение с разбором'),
  },
  rateNote: text(
    'Percentage of calls that met the rule, among those where it was determined.',
    'Процент звонков, в которых правило выполнено, среди тех, где вердикт определён.',
  ),
  newRule: text('added', 'добавлено'),
  goneRule: text('removed', 'убрано'),
  agreed: textTemplate('{} → {} of {}', '{} → {} из {}'),
  warnings: text(
    { neverMet: 'never met', alwaysMet: 'always met' },
    { neverMet: 'не выполнено ни разу', alwaysMet: 'выполнено всегда' },
  ),
  scores: text(
    { old: 'Current scores', new: 'Scores with the draft' },
    { old: 'Оценки сейчас', new: 'Оценки с черновиком' },
  ),
  calls: text('Changed calls', 'Звонки с изменениями'),
  noneChanged: text('No calls changed.', 'Ни у одного звонка результат не изменился.'),
  noScore: text('no score', 'без оценки'),
  absent: text('no such rule', 'правила нет'),
  wasCancelled: text('Test run stopped.', 'Прогон остановлен.'),
  hasEnded: text('The test run has already finished.', 'Прогон уже завершён.'),
}
