import { text, template } from '../frame/words/translation.ts'

/** What changed in a week, and which calls to hear. */
export const weekly = {
  title: template('Week of {}', 'Неделя {}'),
  week: text('Week', 'Неделя'),
  provisional: template(
    'Provisional: calls that come late still change it until {}, {}.',
    'Предварительно: поздние звонки ещё меняют отчёт до {}, {}.',
  ),
  notKept: text(
    'No report of this week was kept: this one is made of what is known today.',
    'Отчёт за эту неделю не сохранялся: этот составлен по тому, что известно сегодня.',
  ),
  noneYet: text(
    'The first report will be here on Monday at 07:00, once there were calls or deals in a week.',
    'Первый отчёт появится в понедельник в 07:00, когда за неделю будут звонки или сделки.',
  ),
  outside: text(
    (name: string, value: string, side: string, range: string) =>
      `${name} ${value}, ${side} ${range} of the eight weeks before`,
    (name, value, side, range) => `${name}: ${value}, ${side}, чем ${range} за восемь недель до этого`,
  ),
  nothing: text('Nothing is out of the range of the eight weeks before.', 'Всё в пределах восьми прошлых недель.'),
  tooNew: text(
    'Fewer than eight weeks before are known: nothing is flagged yet.',
    'Известно меньше восьми прошлых недель: отметок пока нет.',
  ),
  flags: {
    above: text('above', 'выше'),
    below: text('below', 'ниже'),
  },
  changed: text('What changed', 'Что изменилось'),
  hear: text('Calls to hear', 'Какие звонки послушать'),
  managers: text('Manager by manager', 'По менеджерам'),
  refusals: text('Why deals were lost', 'Почему проиграны сделки'),
  reconciliation: text('Calls of the CRM', 'Звонки из CRM'),
  columns: {
    figure: text('Figure', 'Показатель'),
    week: text('This week', 'Эта неделя'),
    previous: text('Week before', 'Прошлая'),
    meanOfFour: text('Mean of four', 'Среднее за четыре'),
    range: text('Eight weeks', 'Восемь недель'),
    deals: text('Won, lost', 'Выиграно, проиграно'),
    outside: text('Out of range', 'Вне обычного'),
    coach: text('Coach on', 'Чему учить'),
    call: text('Call', 'Звонок'),
    why: text('Why', 'Почему'),
  },
  lowest: text('among the lowest scores', 'среди самых низких оценок'),
  highest: text('among the highest scores', 'среди самых высоких оценок'),
  missed: template('missed: {}', 'не выполнено: {}'),
  more: template('{} more', 'ещё {}'),
  score: template('Score {}', 'Оценка {}'),
  gone: text('call no longer available', 'звонок больше недоступен'),
  chance: text(
    'A figure is flagged if it is below the lowest or above the highest of the eight weeks before. This does not prove a change: even if nothing has changed, chance alone flags about two figures in nine.',
    'Отметка значит, что показатель ниже самого низкого или выше самого высокого за восемь прошлых недель. Это ещё не доказывает перемен: даже если ничего не изменилось, случайно отмечаются примерно два показателя из девяти.',
  ),
  play: text('Hear the call, score', 'Послушать звонок, оценка'),
  metOf: text(
    (share: string, ofAll: string) => `met in ${ofAll} calls of four weeks, ${share}`,
    (share, ofAll) => `выполнено в ${ofAll} звонков за четыре недели, ${share}`,
  ),
  nothingToCoach: text('No rule stands out.', 'Ни одно правило не выделяется.'),
  nothingToHear: text('No call of at least a minute has a score.', 'Нет звонков от минуты с оценкой.'),
  silent: template('No calls and no closed deals: {}.', 'Без звонков и закрытых сделок: {}.'),
  sheet: text('Sheet', 'Лист'),
  sheets: text('Sheets to hand out', 'Листы для менеджеров'),
  print: text('Print', 'Печать'),
  back: text('Back to the week', 'К отчёту за неделю'),
  noSheets: text('Nobody had calls or deals in this week.', 'За эту неделю ни у кого нет звонков и сделок.'),
  states: {
    inCrm: text('In the CRM', 'В CRM'),
    received: text('Received', 'Получено'),
    awaitingFile: text('No sound yet', 'Звука ещё нет'),
    loading: text('To load', 'К загрузке'),
    loadFailed: text('Not loaded', 'Не загружены'),
    skipped: text('Left out', 'Пропущено'),
  },
}
