import { both, template } from '../frame/words/translation.ts'
import { aboutEn, aboutRu, formEn, formRu } from '../frame/words/grammar.ts'

/** Checking the calls of a period again. */
export const recalculations = {
  title: both('Recalculations', 'Пересчёты'),
  intro: both(
    'Calls of a period are checked again by the rules that are in use now. What was found before stays on record, and so does what people have decided.',
    'Звонки за период проверяются снова по действующим правилам. Прежние результаты и решения людей остаются.',
  ),
  from: both('From', 'С'),
  to: both('Through', 'По'),
  ruleSet: both('Only calls for', 'Только звонки для'),
  anySet: both('any rule set', 'любого набора'),
  ask: both('How much is it', 'Сколько это'),
  estimateTitle: both('Recalculation', 'Пересчёт'),
  estimated: both(
    (n: number, shown: string, seconds: number) =>
      `${shown} ${formEn(n, 'call', 'calls')} would be checked again, ${aboutEn(seconds)}. Other checks go first.`,
    (n, shown, seconds) =>
      `Снова проверить ${shown} ${formRu(n, 'звонок', 'звонка', 'звонков')}, ${aboutRu(seconds)}. Остальные проверки идут раньше.`,
  ),
  byModel: both(
    (input: string, output: string, cost: string | null) =>
      `The model is sent about ${input} tokens and answers with ${output}${cost === null ? '' : `: about ${cost}`}.`,
    (input, output, cost) =>
      `Модель получит около ${input} токенов и ответит ${output}${cost === null ? '' : `: примерно ${cost}`}.`,
  ),
  begin: both('Begin', 'Начать'),
  begun: both('It runs.', 'Пересчёт идёт.'),
  cancelSure: both('What is checked by then stays as it is.', 'То, что уже проверено, останется.'),
  cancelNow: both('Stop it', 'Остановить'),
  wasCancelled: both('It was stopped.', 'Пересчёт остановлен.'),
  moved: both('It has moved on meanwhile.', 'Тем временем всё изменилось.'),
  noCalls: both('There is no call to check again in this period.', 'За этот период нет звонков для пересчёта.'),
  off: both('The call check is off on this server.', 'Проверка звонков на этом сервере выключена.'),
  states: both(
    { estimated: 'not begun', running: 'running', done: 'done', cancelled: 'cancelled' },
    { estimated: 'не начат', running: 'идёт', done: 'готово', cancelled: 'отменено' },
  ),
  columns: {
    when: both('When', 'Когда'),
    period: both('Calls of', 'Звонки за'),
    ruleSet: both('Rule set', 'Набор правил'),
    progress: both('Checked', 'Проверено'),
    who: both('Who', 'Кто'),
    state: both('State', 'Состояние'),
  },
  progress: template('{} of {}', '{} из {}'),
  skipped: template('no rule set applies: {}', 'ни один набор не подошёл: {}'),
  failed: template('failed: {}', 'не удались: {}'),
  emptyTitle: both('No recalculations yet', 'Пересчётов пока не было'),
  empty: both(
    'After you publish rules, calls of the past keep their scores until you check them again here.',
    'После публикации правил у прошлых звонков остаются прежние оценки, пока вы не пересчитаете их здесь.',
  ),
}
