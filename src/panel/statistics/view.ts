import type { DayLoad, Interval, Load } from '../../reports/load/schema.ts'
import { drawChart, roundCount, roundTime, type Bar } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import type { Span } from './spans.ts'

/** The lists that count the same as a figure; `ended` is all that is done, failed or cancelled. */
export type Lists = Record<'received' | 'ended' | 'done' | 'failed' | 'cancelled', string>

/** The sums of a period. */
export function totalsOf(totals: Load, { words, format }: Language, lists: Lists) {
  const t = words.statistics
  const { received, done, failed, cancelled, audioSeconds, meanWaitSeconds } = totals
  const ended = done + failed + cancelled
  const share =
    ended > 0 ? t.shareOfEnded(words.common.percent(format.number(Math.round((1000 * failed) / ended) / 10))) : ''
  return [
    { name: t.received, value: format.number(received), note: '', href: lists.received },
    { name: t.done, value: format.number(done), note: '', href: lists.done },
    { name: t.failed, value: format.number(failed), note: share, href: lists.failed },
    { name: t.sound, value: t.span(audioSeconds), note: '' },
    { name: t.wait, value: meanWaitSeconds === null ? '—' : t.span(meanWaitSeconds), note: t.waitNote },
  ]
}

const COUNTS = ['received', 'done', 'failed', 'cancelled'] as const

/** The days as lines of the table, the newest first; each figure that is not nothing leads to its calls. */
export function rowsOf(
  days: DayLoad[],
  { words, format }: Language,
  interval: Interval,
  spans: Span[],
  lists: Lists[],
) {
  const t = words.statistics
  return days.toReversed().map((load, n) => ({
    lists: lists[days.length - 1 - n]!,
    iso: load.day,
    day: load.day && t.day(load.day),
    unfinished: spans[days.length - 1 - n]?.isOpen ? t.unfinished[interval] : null,
    counts: COUNTS.map((name) => ({
      name,
      text: format.number(load[name]),
      href: load[name] > 0 ? lists[days.length - 1 - n]![name] : null,
    })),
    sound: load.audioSeconds > 0 ? t.span(load.audioSeconds) : '0',
    wait: load.meanWaitSeconds === null ? '—' : t.span(load.meanWaitSeconds),
  }))
}

/** Calls that ended, in each bar those that are done, failed and cancelled. */
export function loadChart(days: DayLoad[], language: Language, interval: Interval, spans: Span[], lists: Lists[] = []) {
  const t = language.words.statistics
  const bars = barsOf(
    language,
    interval,
    spans,
    lists.map(({ ended }) => ended),
  )
  const series = [
    { kind: 'done', name: t.done, values: days.map(({ done }) => done) },
    { kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) },
    { kind: 'cancelled', name: t.cancelled, values: days.map(({ cancelled }) => cancelled) },
  ]
  return drawChart({ title: t.charts[interval].load, bars, series, ...counted(language) }, language)
}

/** The charts of the page. */
export function chartsOf(days: DayLoad[], language: Language, interval: Interval, spans: Span[], lists: Lists[]) {
  const t = language.words.statistics
  const titles = t.charts[interval]
  const of = (name: keyof Lists) =>
    barsOf(
      language,
      interval,
      spans,
      lists.map((each) => each[name]),
    )
  const timed = { shown: t.span, ceiling: roundTime }
  const sound = { kind: 'done', name: t.sound, values: days.map(({ audioSeconds }) => audioSeconds) }
  const wait = { kind: 'wait', name: t.wait, values: days.map(({ meanWaitSeconds }) => meanWaitSeconds ?? 0) }
  const failed = { kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) }
  return [
    loadChart(days, language, interval, spans, lists),
    drawChart({ title: titles.sound, bars: of('done'), series: [sound], ...timed }, language),
    drawChart({ title: titles.wait, bars: of('done'), series: [wait], ...timed }, language),
    drawChart({ title: titles.failures, bars: of('failed'), series: [failed], ...counted(language) }, language),
  ]
}

const counted = ({ format }: Language) => ({ shown: (value: number) => format.number(value), ceiling: roundCount })

const barsOf = ({ words: { statistics: t } }: Language, interval: Interval, spans: Span[], hrefs: string[]): Bar[] =>
  spans.map(({ from, isOpen }, n) => ({
    name: isOpen ? `${t.day(from)}, ${t.unfinished[interval]}` : t.day(from),
    short: t.day(from),
    isOpen,
    href: hrefs[n],
  }))
