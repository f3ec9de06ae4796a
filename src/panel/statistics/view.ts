import type { CallLoadEntry, CallLoadInterval, CallLoad } from '../../reports/load/schema.ts'
import type { ReportCard } from '../analytics/view.ts'
import { drawChart, roundAxisCountUp, roundAxisSecondsUp, type ChartSeries } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import type { PeriodSpan } from './spans.ts'

/** Addresses of the lists whose totals equal the figures. `ended` covers done, failed and cancelled calls. */
export type LoadListLinks = Record<'received' | 'ended' | 'done' | 'failed' | 'cancelled', string>

/** Builds the total figures of the period as cards with links to their lists. */
export function buildLoadTotalCards(totals: CallLoad, { words, format }: Language, lists: LoadListLinks): ReportCard[] {
  const t = words.statistics
  const { received, done, failed, cancelled, audioSeconds, meanWaitSeconds } = totals
  const ended = done + failed + cancelled
  const failedPercent = words.common.percent(format.number(Math.round((1000 * failed) / ended) / 10))
  return [
    { name: t.received, value: format.number(received), href: lists.received },
    { name: t.done, value: format.number(done), href: lists.done },
    {
      name: t.failed,
      value: format.number(failed),
      note: ended > 0 ? t.shareOfEnded(failedPercent) : '',
      href: lists.failed,
    },
    { name: t.sound, value: t.span(audioSeconds) },
    { name: t.wait, value: meanWaitSeconds === null ? '—' : t.span(meanWaitSeconds), note: t.waitNote },
  ]
}

/** Summarizes in a sentence how many calls were transcribed and failed; undefined without such calls. */
export function formatLoadVerdict(totals: CallLoad, { words, format }: Language): string | undefined {
  const t = words.analytics.lead
  const { done, failed, meanWaitSeconds } = totals
  if (done + failed === 0) return undefined
  return [
    t.volume(done, format.number(done), format.number(failed)),
    ...(meanWaitSeconds === null ? [] : [t.meanWait(words.statistics.span(meanWaitSeconds))]),
  ].join(' ')
}

const COUNT_COLUMNS = ['received', 'done', 'failed', 'cancelled'] as const

/** Builds a row of the table. Figures above 0 link to their calls. @param unfinished note that the row is not comparable */
export function buildLoadRow(
  load: CallLoadEntry,
  { words, format }: Language,
  lists: LoadListLinks,
  unfinished?: string,
) {
  const t = words.statistics
  return {
    lists,
    iso: load.day,
    day: load.day && t.day(load.day),
    unfinished,
    counts: COUNT_COLUMNS.map((name) => ({
      name,
      text: format.number(load[name]),
      href: load[name] > 0 ? lists[name] : null,
    })),
    sound: load.audioSeconds > 0 ? t.span(load.audioSeconds) : '0',
    wait: load.meanWaitSeconds === null ? '—' : t.span(load.meanWaitSeconds),
    keys: [load.day, ...COUNT_COLUMNS.map((name) => load[name]), load.audioSeconds, load.meanWaitSeconds],
  }
}

/** Returns the columns of the table, whose rows have their sort values in this order. */
export const buildLoadColumns = (interval: CallLoadInterval, { words }: Language) => {
  const t = words.statistics
  const titles = [t.columns[interval], ...[...COUNT_COLUMNS, 'sound' as const, 'wait' as const].map((name) => t[name])]
  return titles.map((title) => ({ text: title, first: 'desc' as const }))
}

/** Draws only the chart of ended calls, without links. Bars stack done, failed and cancelled calls. */
export const drawEndedCallsChart = (
  days: CallLoadEntry[],
  language: Language,
  interval: CallLoadInterval,
  spans: PeriodSpan[],
) => drawLoadCharts(days, language, interval, spans, [])[0]!

/** Draws the charts for ended calls, audio, waiting time and failures. @param lists links per span; empty for charts without links */
export function drawLoadCharts(
  days: CallLoadEntry[],
  language: Language,
  interval: CallLoadInterval,
  spans: PeriodSpan[],
  lists: LoadListLinks[],
) {
  const t = language.words.statistics
  const titles = t.charts[interval]
  const count = { shown: (value: number) => language.format.number(value), ceiling: roundAxisCountUp }
  const time = { shown: t.span, ceiling: roundAxisSecondsUp }
  const createSeries = (kind: string, name: string, value: (day: CallLoadEntry) => number) => ({
    kind,
    name,
    values: days.map(value),
  })
  const draw = (title: keyof typeof titles, list: keyof LoadListLinks, series: ChartSeries[], scale = count) => {
    const bars = spans.map(({ from, isOpen }, n) => ({
      name: isOpen ? `${t.day(from)}, ${t.unfinished[interval]}` : t.day(from),
      short: t.day(from),
      isOpen,
      href: lists[n]?.[list],
    }))
    return drawChart({ title: titles[title], bars, series, ...scale }, language)
  }
  const failed = createSeries('failed', t.failed, (day) => day.failed)
  return [
    draw('load', 'ended', [
      createSeries('done', t.done, (day) => day.done),
      failed,
      createSeries('cancelled', t.cancelled, (day) => day.cancelled),
    ]),
    draw('sound', 'done', [createSeries('done', t.sound, (day) => day.audioSeconds)], time),
    draw('wait', 'done', [createSeries('wait', t.wait, (day) => day.meanWaitSeconds ?? 0)], time),
    draw('failures', 'failed', [failed]),
  ]
}
