import type { DayLoad, LoadInterval, CallLoad } from '../../reports/load/schema.ts'
import type { ReportCard } from '../analytics/view.ts'
import { drawChart, roundCountUp, roundSecondsUp, type Series } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import type { PeriodSpan } from './spans.ts'

/** The lists that count the same as a figure; `ended` is done, failed or cancelled. */
export type ListLinks = Record<'received' | 'ended' | 'done' | 'failed' | 'cancelled', string>

export function buildTotals(totals: CallLoad, { words, format }: Language, lists: ListLinks): ReportCard[] {
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

/** How much was transcribed, and what failed, in a sentence; undefined without calls. */
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

/** A row of the table; each figure above 0 links to its calls. @param unfinished why it cannot be compared */
export function buildLoadRow(load: DayLoad, { words, format }: Language, lists: ListLinks, unfinished?: string) {
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
  }
}

/** Ended calls; each bar stacks done, failed and cancelled ones. */
export const drawLoadChart = (days: DayLoad[], language: Language, interval: LoadInterval, spans: PeriodSpan[]) =>
  drawLoadCharts(days, language, interval, spans, [])[0]!

export function drawLoadCharts(
  days: DayLoad[],
  language: Language,
  interval: LoadInterval,
  spans: PeriodSpan[],
  lists: ListLinks[],
) {
  const t = language.words.statistics
  const titles = t.charts[interval]
  const count = { shown: (value: number) => language.format.number(value), ceiling: roundCountUp }
  const time = { shown: t.span, ceiling: roundSecondsUp }
  const createSeries = (kind: string, name: string, value: (day: DayLoad) => number) => ({
    kind,
    name,
    values: days.map(value),
  })
  const draw = (title: keyof typeof titles, list: keyof ListLinks, series: Series[], scale = count) => {
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
