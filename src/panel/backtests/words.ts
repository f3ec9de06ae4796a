import { text, template } from '../frame/words/translation.ts'
import {
  pluralTemplate,
  formatEstimateEn,
  formatEstimateRu,
  selectPluralEn,
  selectPluralRu,
} from '../frame/words/grammar.ts'

export const backtestWords = {
  title: text('Compare on past calls', 'Сравнение на прошлых звонках'),
  intro: text(
    'The newest calls of the period are judged twice: by the published version and by the draft. Nothing is stored in the calls.',
    'Последние звонки за период оцениваются дважды: по опубликованной версии и по черновику. В самих звонках ничего не меняется.',
  ),
  introFirst: text(
    'The newest calls of the period are judged by the draft. Nothing is stored in the calls.',
    'Последние звонки за период оцениваются по черновику. В самих звонках ничего не меняется.',
  ),
  noDraft: text('There is no draft to compare.', 'Сравнивать нечего: черновика нет.'),
  from: text('From', 'С'),
  to: text('Through', 'По'),
  limit: text('At most so many calls', 'Не больше звонков'),
  start: text('Compare', 'Сравнить'),
  estimate: text('How long it takes', 'Сколько это займёт'),
  estimated: text(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${selectPluralEn(n, 'call', 'calls')} with a text, ${formatEstimateEn(seconds)}.`,
    (n, shown, seconds) =>
      `${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')} с текстом, ${formatEstimateRu(seconds)}.`,
  ),
  byModel: text(
    (input: string, output: string, cost: string | null, seconds: number) =>
      `Judging them by the model too would take about ${input} tokens and ${output} of answers${cost === null ? '' : `, ${cost}`}, ${formatEstimateEn(seconds)}. The comparison itself goes by words alone.`,
    (input, output, cost, seconds) =>
      `Проверка моделью заняла бы около ${input} токенов и ${output} в ответах${cost === null ? '' : `, ${cost}`}, ${formatEstimateRu(seconds)}. Само сравнение идёт только по словам.`,
  ),
  earlier: text('Earlier comparisons', 'Прежние сравнения'),
  columns: {
    when: text('When', 'Когда'),
    period: text('Calls of', 'Звонки за'),
    calls: text('Calls', 'Звонки'),
    changed: text('Judged otherwise', 'Оценены иначе'),
    who: text('Who', 'Кто'),
    state: text('State', 'Состояние'),
  },
  states: text(
    { running: 'running', done: 'done', cancelled: 'cancelled', failed: 'failed' },
    { running: 'идёт', done: 'готово', cancelled: 'отменено', failed: 'не удалось' },
  ),
  resultTitle: text('Comparison', 'Сравнение'),
  older: text(
    'The draft has changed since: compare again to see what it does now.',
    'Черновик с тех пор изменился: сравните ещё раз, чтобы увидеть, что он делает теперь.',
  ),
  again: text('Compare again', 'Сравнить ещё раз'),
  progress: template('{} of {} calls', '{} из {} звонков'),
  cancelled: text(
    'It was stopped: the figures are of the calls until then.',
    'Остановлено: показаны звонки до этого места.',
  ),
  noCalls: text(
    'This period has no call with a text that the set is for.',
    'За этот период нет звонков с текстом, для которых этот набор.',
  ),
  cards: {
    judged: text('Calls judged', 'Оценено звонков'),
    skipped: pluralTemplate('{} {has|have} too few words', 'слишком мало слов: {}'),
    scoredByOthers: pluralTemplate(
      '{} {goes|go} to sets that come first',
      '{} {достаётся|достаются|достаются} наборам, которые идут раньше',
    ),
    changed: text('Judged otherwise', 'Оценены иначе'),
    zeros: text('Newly 0', 'Впервые 0'),
    zerosNote: text('by a critical rule, or without a point', 'по критичному правилу или без единого балла'),
    agreement: text('Agrees with people', 'Согласие с людьми'),
    agreementNote: template('now {}, of {} verdicts', 'сейчас {}, решений людей: {}'),
    noVerdicts: text('nobody has judged such verdicts yet', 'люди таких решений ещё не принимали'),
  },
  rules: text('Rules', 'Правила'),
  ruleColumns: {
    rule: text('Rule', 'Правило'),
    old: text('Now', 'Сейчас'),
    new: text('Draft', 'Черновик'),
    difference: text('Difference', 'Разница'),
    agreement: text('Agrees with people', 'Согласие с людьми'),
  },
  rateNote: text(
    'Percent of the calls in which the rule holds, of those in which it could be judged.',
    'В скольких процентах звонков правило выполнено — из тех, где его удалось оценить.',
  ),
  newRule: text('new', 'новое'),
  goneRule: text('removed', 'убрано'),
  agreed: template('{} → {} of {}', '{} → {} из {}'),
  warnings: text({ neverMet: 'never holds', alwaysMet: 'always holds' }, { neverMet: 'никогда', alwaysMet: 'всегда' }),
  scores: text(
    { old: 'Scores now', new: 'Scores with the draft' },
    { old: 'Оценки сейчас', new: 'Оценки с черновиком' },
  ),
  calls: text('Calls judged otherwise', 'Звонки, оценённые иначе'),
  noneChanged: text('No call is judged otherwise.', 'Ни один звонок не оценён иначе.'),
  noScore: text('no score', 'без оценки'),
  absent: text('no such rule', 'нет правила'),
  wasCancelled: text('The comparison was stopped.', 'Сравнение остановлено.'),
  hasEnded: text('It has ended already.', 'Оно уже закончилось.'),
}
