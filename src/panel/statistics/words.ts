import { both, template } from '../frame/words/translation.ts'
import { spanEn, spanRu, counted } from '../frame/words/grammar.ts'

const dayEn = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const dayRu = new Intl.DateTimeFormat('ru-RU', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

const titlesEn = (step: string) => ({
  load: `Calls per ${step}`,
  sound: `Sound transcribed per ${step}`,
  wait: `Mean wait per ${step}`,
  failures: `Failed per ${step}`,
})
const titlesRu = (step: string) => ({
  load: `Звонки ${step}`,
  sound: `Распознано звука ${step}`,
  wait: `Среднее ожидание ${step}`,
  failures: `Не удалось ${step}`,
})

/** The load per day. */
export const statistics = {
  from: both('From', 'С'),
  to: both('To', 'По'),
  bothDays: both('Both days are included.', 'Оба дня включительно.'),
  show: both('Show', 'Показать'),
  period: counted('{} days', '{} {день|дня|дней}'),
  periods: both('Periods', 'Периоды'),
  totals: both('In all', 'Всего'),
  received: both('Received', 'Принято'),
  done: both('Done', 'Готово'),
  failed: both('Failed', 'Не удалось'),
  cancelled: both('Cancelled', 'Отменено'),
  sound: both('Sound', 'Звук'),
  wait: both('Mean wait', 'Среднее ожидание'),
  waitNote: both('until transcription began', 'до начала распознавания'),
  shareOfEnded: template('{} of what ended', '{} завершённых'),
  charts: {
    day: both(titlesEn('day'), titlesRu('по дням')),
    week: both(titlesEn('week'), titlesRu('по неделям')),
    month: both(titlesEn('month'), titlesRu('по месяцам')),
  },
  by: both('Counted by', 'Считать по'),
  byCall: both('day of the call', 'дню звонка'),
  byArrival: both('day of arrival', 'дню поступления'),
  interval: both('Step', 'Шаг'),
  intervals: both({ day: 'days', week: 'weeks', month: 'months' }, { day: 'дни', week: 'недели', month: 'месяцы' }),
  department: both('Department', 'Отдел'),
  manager: both('Manager', 'Менеджер'),
  everybody: both('all', 'все'),
  days: both('The numbers', 'Цифры'),
  columns: both(
    { day: 'Day', week: 'Week from', month: 'Month from' },
    { day: 'День', week: 'Неделя с', month: 'Месяц с' },
  ),
  unfinished: both(
    { day: 'not over yet', week: 'not a whole week', month: 'not a whole month' },
    { day: 'ещё не закончен', week: 'неполная неделя', month: 'неполный месяц' },
  ),
  day: both(
    (day: string) => dayEn.format(new Date(day)),
    (day) => dayRu.format(new Date(day)).replace(' г.', ''),
  ),
  span: both(spanEn, spanRu),
  sum: both('Sum', 'Итого'),
}
