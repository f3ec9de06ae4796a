import { text, textTemplate } from '../frame/words/translation.ts'
import { formatDurationEn, formatDurationRu, pluralTemplate } from '../frame/words/grammar.ts'

const dayEn = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const dayRu = new Intl.DateTimeFormat('ru-RU', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

const chartTitlesEn = (step: string) => ({
  load: `Calls per ${step}`,
  sound: `Audio transcribed per ${step}`,
  wait: `Average time in the queue per ${step}`,
  failures: `Failed per ${step}`,
})
const chartTitlesRu = (step: string) => ({
  load: `Звонки ${step}`,
  sound: `Длительность распознанных записей ${step}`,
  wait: `Среднее время в очереди ${step}`,
  failures: `Не распознано звонков ${step}`,
})

export const statisticsWords = {
  from: text('From', 'С'),
  to: text('To', 'По'),
  bothDays: text('Both days are included.', 'Оба дня включительно.'),
  show: text('Show', 'Показать'),
  period: pluralTemplate('{} days', '{} {день|дня|дней}'),
  periods: text('Periods', 'Периоды'),
  totals: text('Total', 'Всего'),
  received: text('Received', 'Принято'),
  done: text('Transcribed', 'Распознано'),
  failed: text('Failed', 'Не распознано'),
  cancelled: text('Cancelled', 'Отменено'),
  sound: text('Audio', 'Длительность записей'),
  wait: text('Average time in the queue', 'Среднее время в очереди'),
  waitNote: text('until transcription began', 'до начала распознавания'),
  shareOfEnded: textTemplate('{} of finished calls', '{} завершённых звонков'),
  charts: {
    day: text(chartTitlesEn('day'), chartTitlesRu('по дням')),
    week: text(chartTitlesEn('week'), chartTitlesRu('по неделям')),
    month: text(chartTitlesEn('month'), chartTitlesRu('по месяцам')),
  },
  by: text('Count by', 'Считать по'),
  byCall: text('date of the call', 'дате звонка'),
  byArrival: text('date received', 'дате поступления'),
  interval: text('Interval', 'Шаг'),
  intervals: text({ day: 'days', week: 'weeks', month: 'months' }, { day: 'дни', week: 'недели', month: 'месяцы' }),
  department: text('Department', 'Отдел'),
  manager: text('Manager', 'Менеджер'),
  everybody: text('all', 'все'),
  days: text('Figures', 'Показатели'),
  columns: text(
    { day: 'Day', week: 'Week from', month: 'Month from' },
    { day: 'День', week: 'Неделя с', month: 'Месяц с' },
  ),
  unfinished: text(
    { day: 'incomplete day', week: 'incomplete week', month: 'incomplete month' },
    { day: 'неполный день', week: 'неполная неделя', month: 'неполный месяц' },
  ),
  day: text(
    (day: string) => dayEn.format(new Date(day)),
    (day) => dayRu.format(new Date(day)).replace(' г.', ''),
  ),
  span: text(formatDurationEn, formatDurationRu),
  sum: text('Total', 'Итого'),
}
