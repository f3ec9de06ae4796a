import { both, template } from '../frame/words/translation.ts'
import { counted, aboutEn, aboutRu, formEn, formRu } from '../frame/words/grammar.ts'

/** A draft compared with the published version on past calls. */
export const backtests = {
  title: both('Compare on past calls', 'Сравнение на прошлых звонках'),
  intro: both(
    'The newest calls of the period are judged twice: by the published version and by the draft. Nothing is stored in the calls.',
    'Последние звонки за период оцениваются дважды: по опубликованной версии и по черновику. В самих звонках ничего не меняется.',
  ),
  introFirst: both(
    'The newest calls of the period are judged by the draft. Nothing is stored in the calls.',
    'Последние звонки за период оцениваются по черновику. В самих звонках ничего не меняется.',
  ),
  noDraft: both('There is no draft to compare.', 'Сравнивать нечего: черновика нет.'),
  from: both('From', 'С'),
  to: both('Through', 'По'),
  limit: both('At most so many calls', 'Не больше звонков'),
  start: both('Compare', 'Сравнить'),
  estimate: both('How long it takes', 'Сколько это займёт'),
  estimated: both(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${formEn(n, 'call', 'calls')} with a text, ${aboutEn(seconds)}.`,
    (n, shown, seconds) => `${shown} ${formRu(n, 'звонок', 'звонка', 'звонков')} с текстом, ${aboutRu(seconds)}.`,
  ),
  byModel: both(
    (input: string, output: string, cost: string | null, seconds: number) =>
      `Judging them by the model too would take about ${input} tokens and ${output} of answers${cost === null ? '' : `, ${cost}`}, ${aboutEn(seconds)}. The comparison itself goes by words alone.`,
    (input, output, cost, seconds) =>
      `Проверка моделью заняла бы около ${input} токенов и ${output} в ответах${cost === null ? '' : `, ${cost}`}, ${aboutRu(seconds)}. Само сравнение идёт только по словам.`,
  ),
  earlier: both('Earlier comparisons', 'Прежние сравнения'),
  columns: {
    when: both('When', 'Когда'),
    period: both('Calls of', 'Звонки за'),
    calls: both('Calls', 'Звонки'),
    changed: both('Judged otherwise', 'Оценены иначе'),
    who: both('Who', 'Кто'),
    state: both('State', 'Состояние'),
  },
  states: both(
    { running: 'running', done: 'done', cancelled: 'cancelled', failed: 'failed' },
    { running: 'идёт', done: 'готово', cancelled: 'отменено', failed: 'не удалось' },
  ),
  resultTitle: both('Comparison', 'Сравнение'),
  older: both(
    'The draft has changed since: compare again to see what it does now.',
    'Черновик с тех пор изменился: сравните ещё раз, чтобы увидеть, что он делает теперь.',
  ),
  again: both('Compare again', 'Сравнить ещё раз'),
  progress: template('{} of {} calls', '{} из {} звонков'),
  cancelled: both(
    'It was stopped: the figures are of the calls until then.',
    'Остановлено: показаны звонки до этого места.',
  ),
  noCalls: both(
    'This period has no call with a text that the set is for.',
    'За этот период нет звонков с текстом, для которых этот набор.',
  ),
  cards: {
    judged: both('Calls judged', 'Оценено звонков'),
    skipped: counted('{} {has|have} too few words', 'слишком мало слов: {}'),
    changed: both('Judged otherwise', 'Оценены иначе'),
    zeros: both('Newly 0', 'Впервые 0'),
    zerosNote: both('by a critical rule, or without a point', 'по критичному правилу или без единого балла'),
    agreement: both('Agrees with people', 'Согласие с людьми'),
    agreementNote: template('now {}, of {} verdicts', 'сейчас {}, решений людей: {}'),
    noVerdicts: both('nobody has judged such verdicts yet', 'люди таких решений ещё не принимали'),
  },
  rules: both('Rules', 'Правила'),
  ruleColumns: {
    rule: both('Rule', 'Правило'),
    old: both('Now', 'Сейчас'),
    new: both('Draft', 'Черновик'),
    difference: both('Difference', 'Разница'),
    agreement: both('Agrees with people', 'Согласие с людьми'),
  },
  rateNote: both(
    'Percent of the calls in which the rule holds, of those in which it could be judged.',
    'В скольких процентах звонков правило выполнено — из тех, где его удалось оценить.',
  ),
  newRule: both('new', 'новое'),
  goneRule: both('removed', 'убрано'),
  agreed: template('{} → {} of {}', '{} → {} из {}'),
  warnings: both({ neverMet: 'never holds', alwaysMet: 'always holds' }, { neverMet: 'никогда', alwaysMet: 'всегда' }),
  scores: both(
    { old: 'Scores now', new: 'Scores with the draft' },
    { old: 'Оценки сейчас', new: 'Оценки с черновиком' },
  ),
  calls: both('Calls judged otherwise', 'Звонки, оценённые иначе'),
  noneChanged: both('No call is judged otherwise.', 'Ни один звонок не оценён иначе.'),
  noScore: both('no score', 'без оценки'),
  absent: both('no such rule', 'нет правила'),
  wasCancelled: both('The comparison was stopped.', 'Сравнение остановлено.'),
  hasEnded: both('It has ended already.', 'Оно уже закончилось.'),
}
