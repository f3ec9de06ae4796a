import { both } from './both.ts'
import { formRu, spanEn, spanRu } from './grammar.ts'

const dayEn = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const dayRu = new Intl.DateTimeFormat('ru-RU', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

/** The load per day. */
export const statistics = {
  title: both('Statistics', 'Статистика'),
  from: both('From', 'С'),
  to: both('To', 'По'),
  show: both('Show', 'Показать'),
  period: both(
    (_: number, shown: string) => `${shown} days`,
    (n, shown) => `${shown} ${formRu(n, 'день', 'дня', 'дней')}`,
  ),
  periods: both('Periods', 'Периоды'),
  totals: both('In all', 'Всего'),
  received: both('Received', 'Принято'),
  done: both('Done', 'Готово'),
  failed: both('Failed', 'Не удалось'),
  cancelled: both('Cancelled', 'Отменено'),
  sound: both('Sound', 'Звук'),
  wait: both('Mean wait', 'Среднее ожидание'),
  waitNote: both('until transcription began', 'до начала распознавания'),
  shareOfEnded: both(
    (percent: string) => `${percent} of what ended`,
    (percent) => `${percent} завершённых`,
  ),
  load: both('Calls per day', 'Звонки по дням'),
  soundPerDay: both('Sound transcribed per day', 'Распознано звука по дням'),
  waitPerDay: both('Mean wait per day', 'Среднее ожидание по дням'),
  failures: both('Failures per day', 'Ошибки по дням'),
  chart: both(
    (title: string, from: string, to: string, most: string) =>
      `${title}, ${from} to ${to}, at most ${most}. The numbers stand in the table.`,
    (title, from, to, most) => `${title}, с ${from} по ${to}, самое большее ${most}. Числа стоят в таблице.`,
  ),
  days: both('Day by day', 'По дням'),
  dayColumn: both('Day', 'День'),
  day: both(
    (day: string) => dayEn.format(new Date(day)),
    (day) => dayRu.format(new Date(day)).replace(' г.', ''),
  ),
  span: both(spanEn, spanRu),
  sum: both('Sum', 'Итого'),
}
