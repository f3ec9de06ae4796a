import type { DayLoad, Interval, Load } from '../../reports/load/schema.ts'
import type { Card } from '../analytics/view.ts'
import { drawChart, roundCount, roundTime } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import type { Span } from './spans.ts'

/** The lists that count the same as a figure; `ended` is done, failed or cancelled. */
export type Lists = Record<'received' | 'ended' | 'done' | 'failed' | 'cancelled', string>

/** The sums of a period. */
export function totalsOf(totals: Load, { words, format }: Language, lists: Lists): Card[] {
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

const COUNTS = ['received', 'done', 'failed', 'cancelled'] as const

/** A row of the table; each figure above 0 links to its calls. */
export function rowOf(
  load: DayLoad,
  { words, format }: Language,
  lists: Lists,
  interval: Interval = 'day',
  span?: Span,
) {
  const t = words.statistics
  return {
    lists,
    iso: load.day,
    day: load.day && t.day(load.day),
    unfinished: span?.isOpen ? t.unfinished[interval] : null,
    counts: COUNTS.map((name) => ({
      name,
      text: format.number(load[name]),
      href: load[name] > 0 ? lists[name] : null,
    })),
    sound: load.audioSeconds > 0 ? t.span(load.audioSeconds) : '0',
    wait: load.meanWaitSeconds === null ? '—' : t.span(load.meanWaitSeconds),
  }
}

interface LoadChart {
  title: keyof Language['words']['statistics']['charts']['day']
  /** The list behind a bar. */
  list: keyof Lists
  series: { kind: string; name: 'done' | 'failed' | 'cancelled' | 'sound' | 'wait'; value: (day: DayLoad) => number }[]
  isTime?: boolean
}

const LOAD: LoadChart = {
  title: 'load',
  list: 'ended',
  series: [
    { kind: 'done', name: 'done', value: (day) => day.done },
    { kind: 'failed', name: 'failed', value: (day) => day.failed },
    { kind: 'cancelled', name: 'cancelled', value: (day) => day.cancelled },
  ],
}
const CHARTS: LoadChart[] = [
  LOAD,
  {
    title: 'sound',
    list: 'done',
    series: [{ kind: 'done', name: 'sound', value: (day) => day.audioSeconds }],
    isTime: true,
  },
  {
    title: 'wait',
    list: 'done',
    series: [{ kind: 'wait', name: 'wait', value: (day) => day.meanWaitSeconds ?? 0 }],
    isTime: true,
  },
  { title: 'failures', list: 'failed', series: [{ kind: 'failed', name: 'failed', value: (day) => day.failed }] },
]

/** Calls that ended, in each bar those that are done, failed and cancelled. */
export const loadChart = (days: DayLoad[], language: Language, interval: Interval, spans: Span[]) =>
  draw(LOAD, days, language, interval, spans, [])

export const chartsOf = (days: DayLoad[], language: Language, interval: Interval, spans: Span[], lists: Lists[]) =>
  CHARTS.map((chart) => draw(chart, days, language, interval, spans, lists))

function draw(
  chart: LoadChart,
  days: DayLoad[],
  language: Language,
  interval: Interval,
  spans: Span[],
  lists: Lists[],
) {
  const t = language.words.statistics
  const bars = spans.map(({ from, isOpen }, n) => ({
    name: isOpen ? `${t.day(from)}, ${t.unfinished[interval]}` : t.day(from),
    short: t.day(from),
    isOpen,
    href: lists[n]?.[chart.list],
  }))
  const series = chart.series.map(({ kind, name, value }) => ({ kind, name: t[name], values: days.map(value) }))
  const scale = chart.isTime
    ? { shown: t.span, ceiling: roundTime }
    : { shown: (value: number) => language.format.number(value), ceiling: roundCount }
  return drawChart({ title: t.charts[interval][chart.title], bars, series, ...scale }, language)
}
