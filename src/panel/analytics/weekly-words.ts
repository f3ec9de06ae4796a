import { both, template } from '../frame/words/translation.ts'

/** What changed in a week, and which calls to hear. */
export const weekly = {
  title: template('Week of {}', 'Неделя {}'),
  week: both('Week', 'Неделя'),
  provisional: template(
    'Provisional: calls that come late still change it until {}, {}.',
    'Предварительно: поздние звонки ещё меняют отчёт до {}, {}.',
  ),
  notKept: both(
    'No report of this week was kept: this one is made of what is known today.',
    'Отчёт за эту неделю не сохранялся: этот составлен по тому, что известно сегодня.',
  ),
  noneYet: both(
    'The first report will be here on Monday at 07:00, once there were calls or deals in a week.',
    'Первый отчёт появится в понедельник в 07:00, когда за неделю будут звонки или сделки.',
  ),
  outside: both(
    (name: string, value: string, side: string, range: string) =>
      `${name} ${value}, ${side} ${range} of the eight weeks before`,
    (name, value, side, range) => `${name}: ${value}, ${side}, чем ${range} за восемь недель до этого`,
  ),
  nothing: both('Nothing is out of the range of the eight weeks before.', 'Всё в пределах восьми прошлых недель.'),
  tooNew: both(
    'Fewer than eight weeks before are known: nothing is flagged yet.',
    'Известно меньше восьми прошлых недель: отметок пока нет.',
  ),
  flags: {
    above: both('above', 'выше'),
    below: both('below', 'ниже'),
  },
  changed: both('What changed', 'Что изменилось'),
  hear: both('Calls to hear', 'Какие звонки послушать'),
  managers: both('Manager by manager', 'По менеджерам'),
  refusals: both('Why deals were lost', 'Почему проиграны сделки'),
  reconciliation: both('Calls of the CRM', 'Звонки из CRM'),
  columns: {
    figure: both('Figure', 'Показатель'),
    week: both('This week', 'Эта неделя'),
    previous: both('Week before', 'Прошлая'),
    meanOfFour: both('Mean of four', 'Среднее за четыре'),
    range: both('Eight weeks', 'Восемь недель'),
    deals: both('Won, lost', 'Выиграно, проиграно'),
    outside: both('Out of range', 'Вне обычного'),
    coach: both('Coach on', 'Чему учить'),
    call: both('Call', 'Звонок'),
    why: both('Why', 'Почему'),
  },
  lowest: both('among the lowest scores', 'среди самых низких оценок'),
  highest: both('among the highest scores', 'среди самых высоких оценок'),
  missed: template('missed: {}', 'не выполнено: {}'),
  more: template('{} more', 'ещё {}'),
  score: template('Score {}', 'Оценка {}'),
  gone: both('call no longer available', 'звонок больше недоступен'),
  chance: both(
    'A figure is flagged if it is below the lowest or above the highest of the eight weeks before. This does not prove a change: even if nothing has changed, chance alone flags about two figures in nine.',
    'Отметка значит, что показатель ниже самого низкого или выше самого высокого за восемь прошлых недель. Это ещё не доказывает перемен: даже если ничего не изменилось, случайно отмечаются примерно два показателя из девяти.',
  ),
  play: both('Hear the call, score', 'Послушать звонок, оценка'),
  metOf: both(
    (share: string, ofAll: string) => `met in ${ofAll} calls of four weeks, ${share}`,
    (share, ofAll) => `выполнено в ${ofAll} звонков за четыре недели, ${share}`,
  ),
  nothingToCoach: both('No rule stands out.', 'Ни одно правило не выделяется.'),
  nothingToHear: both('No call of at least a minute has a score.', 'Нет звонков от минуты с оценкой.'),
  silent: template('No calls and no closed deals: {}.', 'Без звонков и закрытых сделок: {}.'),
  sheet: both('Sheet', 'Лист'),
  sheets: both('Sheets to hand out', 'Листы для менеджеров'),
  print: both('Print', 'Печать'),
  back: both('Back to the week', 'К отчёту за неделю'),
  noSheets: both('Nobody had calls or deals in this week.', 'За эту неделю ни у кого нет звонков и сделок.'),
  states: {
    inCrm: both('In the CRM', 'В CRM'),
    received: both('Received', 'Получено'),
    awaitingFile: both('No sound yet', 'Звука ещё нет'),
    loading: both('To load', 'К загрузке'),
    loadFailed: both('Not loaded', 'Не загружены'),
    skipped: both('Left out', 'Пропущено'),
  },
}
