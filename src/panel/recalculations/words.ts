import { text, template } from '../frame/words/translation.ts'
import { formatEstimateEn, formatEstimateRu, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'

export const recalculationWords = {
  title: text('Recalculations', 'Пересчёты'),
  intro: text(
    'Calls of a period are checked again by the rules that are in use now. What was found before stays on record, and so does what people have decided.',
    'Звонки за период проверяются снова по действующим правилам. Прежние результаты и решения людей остаются.',
  ),
  from: text('From', 'С'),
  to: text('Through', 'По'),
  ruleSet: text('Only calls for', 'Только звонки для'),
  anySet: text('any rule set', 'любого набора'),
  ask: text('How much is it', 'Сколько это'),
  estimateTitle: text('Recalculation', 'Пересчёт'),
  estimated: text(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${selectPluralEn(n, 'call', 'calls')} would be checked again, ${formatEstimateEn(seconds)}. Other checks go first.`,
    (n, shown, seconds) =>
      `Снова проверить ${shown} ${selectPluralRu(n, 'звонок', 'звонка', 'звонков')}, ${formatEstimateRu(seconds)}. Остальные проверки идут раньше.`,
  ),
  byModel: text(
    (input: string, output: string, cost: string | null) =>
      `The model is sent about ${input} tokens and answers with ${output}${cost === null ? '' : `: about ${cost}`}.`,
    (input, output, cost) =>
      `Модель получит около ${input} токенов и ответит ${output}${cost === null ? '' : `: примерно ${cost}`}.`,
  ),
  begin: text('Begin', 'Начать'),
  begun: text('It runs.', 'Пересчёт идёт.'),
  cancelSure: text('What is checked by then stays as it is.', 'То, что уже проверено, останется.'),
  cancelNow: text('Stop it', 'Остановить'),
  wasCancelled: text('It was stopped.', 'Пересчёт остановлен.'),
  moved: text('It has moved on meanwhile.', 'Тем временем всё изменилось.'),
  noCalls: text('There is no call to check again in this period.', 'За этот период нет звонков для пересчёта.'),
  off: text('The call check is off on this server.', 'Проверка звонков на этом сервере выключена.'),
  states: text(
    { estimated: 'not begun', running: 'running', done: 'done', cancelled: 'cancelled' },
    { estimated: 'не начат', running: 'идёт', done: 'готово', cancelled: 'отменено' },
  ),
  columns: {
    when: text('When', 'Когда'),
    period: text('Calls of', 'Звонки за'),
    ruleSet: text('Rule set', 'Набор правил'),
    progress: text('Checked', 'Проверено'),
    who: text('Who', 'Кто'),
    state: text('State', 'Состояние'),
  },
  progress: template('{} of {}', '{} из {}'),
  skipped: template('no rule set applies: {}', 'ни один набор не подошёл: {}'),
  failed: template('failed: {}', 'не удались: {}'),
  emptyTitle: text('No recalculations yet', 'Пересчётов пока не было'),
  empty: text(
    'After you publish rules, calls of the past keep their scores until you check them again here.',
    'После публикации правил у прошлых звонков остаются прежние оценки, пока вы не пересчитаете их здесь.',
  ),
}
