import { text, template } from '../frame/words/translation.ts'
import { formatDurationEn, formatDurationRu, pluralTemplate } from '../frame/words/grammar.ts'

const dayEn = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const dayRu = new Intl.DateTimeFormat('ru-RU', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

const chartTitlesEn = (step: string) => ({
  load: `Calls per ${step}`,
  sound: `Sound transcribed per ${step}`,
  wait: `Mean wait per ${step}`,
  failures: `Failed per ${step}`,
})
const chartTitlesRu = (step: string) => ({
  load: `Звонки ${step}`,
  sound: `Распознано звука ${step}`,
  wait: `Среднее ожидание ${step}`,
  failures: `Не удалось ${step}`,
})

export const statisticsWords = {
  from: text('From', 'С'),
  to: text('To', 'По'),
  bothDays: text('Both days are included.', 'Оба дня включительно.'),
  show: text('Show', 'Показать'),
  period: pluralTemplate('{} days', '{} {день|дня|дней}'),
  periods: text('Periods', 'Периоды'),
  totals: text('In all', 'Всего'),
  received: text('Received', 'Принято'),
  done: text('Done', 'Готово'),
  failed: text('Failed', 'Не удалось'),
  cancelled: text('Cancelled', 'Отменено'),
  sound: text('Sound', 'Звук'),
  wait: text('Mean wait', 'Среднее ожидание'),
  waitNote: text('until transcription began', 'до начала распознавания'),
  shareOfEnded: template('{} of what ended', '{} завершённых'),
  charts: {
    day: text(chartTitlesEn('day'), chartTitlesRu('по дням')),
    week: text(chartTitlesEn('week'), chartTitlesRu('по неделям')),
    month: text(chartTitlesEn('month'), chartTitlesRu('по месяцам')),
  },
  by: text('Counted by', 'Считать по'),
  byCall: text('day of the call', 'дню звонка'),
  byArrival: text('day of arrival', 'дню поступления'),
  interval: text('Step', 'Шаг'),
  intervals: text({ day: 'days', week: 'weeks', month: 'months' }, { day: 'дни', week: 'недели', month: 'месяцы' }),
  department: text('Department', 'Отдел'),
  manager: text('Manager', 'Менеджер'),
  everybody: text('all', 'все'),
  days: text('The numbers', 'Цифры'),
  columns: text(
    { day: 'Day', week: 'Week from', month: 'Month from' },
    { day: 'День', week: 'Неделя с', month: 'Месяц с' },
  ),
  unfinished: text(
    { day: 'not over yet', week: 'not a whole week', month: 'not a whole month' },
    { day: 'ещё не закончен', week: 'неполная неделя', month: 'неполный месяц' },
  ),
  day: text(
    (day: string) => dayEn.format(new Date(day)),
    (day) => dayRu.format(new Date(day)).replace(' г.', ''),
  ),
  span: text(formatDurationEn, formatDurationRu),
  sum: text('Sum', 'Итого'),
}
