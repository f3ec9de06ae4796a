import type { DayLoad, Interval, Load } from '../../stats/schema.ts'
import { drawChart, roundCount, roundTime, type Bar } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import type { Span } from './spans.ts'

/** The sums of a period. */
export function totalsOf(totals: Load, { words, format }: Language) {
  const t = words.statistics
  const { received, done, failed, cancelled, audioSeconds, meanWaitSeconds } = totals
  const ended = done + failed + cancelled
  const share =
    ended > 0 ? t.shareOfEnded(words.common.percent(format.number(Math.round((1000 * failed) / ended) / 10))) : ''
  return [
    { name: t.received, value: format.number(received), note: '' },
    { name: t.done, value: format.number(done), note: '' },
    { name: t.failed, value: format.number(failed), note: share },
    { name: t.sound, value: t.span(audioSeconds), note: '' },
    { name: t.wait, value: meanWaitSeconds === null ? '—' : t.span(meanWaitSeconds), note: t.waitNote },
  ]
}

/** The days as lines of the table, the newest first; `hrefs` lead to the calls of each. */
export function rowsOf(
  days: DayLoad[],
  { words, format }: Language,
  interval: Interval,
  spans: Span[],
  hrefs: string[],
) {
  const t = words.statistics
  return days.toReversed().map((load, n) => ({
    href: hrefs[days.length - 1 - n]!,
    iso: load.day,
    day: load.day && t.day(load.day),
    unfinished: spans[days.length - 1 - n]?.isOpen ? t.unfinished[interval] : null,
    received: format.number(load.received),
    done: format.number(load.done),
    failed: load.failed > 0 ? format.number(load.failed) : '0',
    hasFailed: load.failed > 0,
    cancelled: format.number(load.cancelled),
    sound: load.audioSeconds > 0 ? t.span(load.audioSeconds) : '0',
    wait: load.meanWaitSeconds === null ? '—' : t.span(load.meanWaitSeconds),
  }))
}

/** Calls that ended, in each bar those that are done, failed and cancelled. `hrefs` lead to the calls of each bar. */
export function loadChart(
  days: DayLoad[],
  language: Language,
  interval: Interval,
  spans: Span[],
  hrefs: string[] = [],
) {
  const t = language.words.statistics
  const series = [
    { kind: 'done', name: t.done, values: days.map(({ done }) => done) },
    { kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) },
    { kind: 'cancelled', name: t.cancelled, values: days.map(({ cancelled }) => cancelled) },
  ]
  return drawChart(
    { title: t.charts[interval].load, bars: barsOf(language, interval, spans, hrefs), series, ...counted(language) },
    language,
  )
}

/** The charts of the page. */
export function chartsOf(days: DayLoad[], language: Language, interval: Interval, spans: Span[], hrefs: string[]) {
  const t = language.words.statistics
  const titles = t.charts[interval]
  const bars = barsOf(language, interval, spans, hrefs)
  const timed = { shown: t.span, ceiling: roundTime }
  const sound = { kind: 'done', name: t.sound, values: days.map(({ audioSeconds }) => audioSeconds) }
  const wait = { kind: 'wait', name: t.wait, values: days.map(({ meanWaitSeconds }) => meanWaitSeconds ?? 0) }
  const failed = { kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) }
  return [
    loadChart(days, language, interval, spans, hrefs),
    drawChart({ title: titles.sound, bars, series: [sound], ...timed }, language),
    drawChart({ title: titles.wait, bars, series: [wait], ...timed }, language),
    drawChart({ title: titles.failures, bars, series: [failed], ...counted(language) }, language),
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
