import type { DayLoad, Load } from '../../stats/schema.ts'
import type { Language } from '../frame/i18n.ts'

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

/** How much one bar covers. */
export type Interval = 'day' | 'week' | 'month'

/** The days as lines of the table, the newest first; `hrefs` lead to the calls of each. */
export function rowsOf(days: DayLoad[], { words, format }: Language, hrefs: string[]) {
  const t = words.statistics
  return days.toReversed().map((load, n) => ({
    href: hrefs[days.length - 1 - n]!,
    iso: load.day,
    day: load.day && t.day(load.day),
    received: format.number(load.received),
    done: format.number(load.done),
    failed: load.failed > 0 ? format.number(load.failed) : '0',
    hasFailed: load.failed > 0,
    cancelled: format.number(load.cancelled),
    sound: load.audioSeconds > 0 ? t.span(load.audioSeconds) : '0',
    wait: load.meanWaitSeconds === null ? '—' : t.span(load.meanWaitSeconds),
  }))
}

/** One kind of bar: its colour, its name, and its value on each day. */
interface Series {
  kind: string
  name: string
  values: number[]
}

/** Width of a day in a chart, and of its bar; the height of the chart. */
const DAY = 10
const BAR = 7
const HEIGHT = 100

/** The charts: bars of each day, and beside them what the axes say. */
export function chartsOf(
  days: DayLoad[],
  { words, format }: Language,
  interval: Interval = 'day',
  hrefs: string[] = [],
) {
  const t = words.statistics
  const titles = t.charts[interval]
  const count = (value: number) => format.number(value)
  const charts: {
    title: string
    series: Series[]
    shown: (value: number) => string
    ceiling: (most: number) => number
  }[] = [
    {
      title: titles.load,
      series: [
        { kind: 'done', name: t.done, values: days.map(({ done }) => done) },
        { kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) },
        { kind: 'cancelled', name: t.cancelled, values: days.map(({ cancelled }) => cancelled) },
      ],
      shown: count,
      ceiling: roundCount,
    },
    {
      title: titles.sound,
      series: [{ kind: 'done', name: t.sound, values: days.map(({ audioSeconds }) => audioSeconds) }],
      shown: t.span,
      ceiling: roundTime,
    },
    {
      title: titles.wait,
      series: [{ kind: 'wait', name: t.wait, values: days.map(({ meanWaitSeconds }) => meanWaitSeconds ?? 0) }],
      shown: t.span,
      ceiling: roundTime,
    },
    {
      title: titles.failures,
      series: [{ kind: 'failed', name: t.failed, values: days.map(({ failed }) => failed) }],
      shown: count,
      ceiling: roundCount,
    },
  ]
  const ends = [days[0]!.day, days[Math.floor(days.length / 2)]!.day, days.at(-1)!.day]
  return charts.map(({ title, series, shown, ceiling }) => {
    const sums = days.map((_, n) => series.reduce((sum, { values }) => sum + values[n]!, 0))
    const top = ceiling(Math.max(...sums))
    return {
      title,
      width: days.length * DAY,
      height: HEIGHT,
      bars: series.map(({ kind }, n) => ({ kind, path: pathOf(series, n, top) })),
      legend: series.length > 1 ? series.map(({ kind, name }) => ({ kind, name })) : [],
      days: days.map(({ day }, n) => ({
        href: hrefs[n],
        x: n * DAY,
        width: DAY,
        text: `${t.day(day)}: ${series.map(({ name, values }) => `${name} ${shown(values[n]!)}`).join(', ')}`,
      })),
      axis: [shown(top), shown(top / 2), '0'],
      ends: [...new Set(ends)].map((day) => t.day(day)),
      summary: t.chart(title, t.day(ends[0]!), t.day(ends[2]!), shown(Math.max(...sums))),
    }
  })
}

/** The bars of one series, each on those of the series before it. */
function pathOf(series: Series[], which: number, top: number): string {
  return series[which]!.values.map((value, day) => {
    if (value <= 0) return ''
    const below = series.slice(0, which).reduce((sum, { values }) => sum + values[day]!, 0)
    const [y, height] = [HEIGHT * (1 - (below + value) / top), (HEIGHT * value) / top]
    // What is there must be seen.
    return `M${day * DAY + (DAY - BAR) / 2} ${short(y)}h${BAR}v${short(Math.max(height, 0.7))}h-${BAR}z`
  }).join('')
}

const short = (value: number): number => Math.round(value * 10) / 10

/** The next even number that reads well: 2, 4, 10, 20, 40, 100 … */
function roundCount(most: number): number {
  for (let step = 1; ; step *= 10) for (const n of [2, 4, 6, 8]) if (n * step >= most) return n * step
}

/** Seconds up to the next time of which also the half reads well. */
function roundTime(most: number): number {
  const steps = [2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200]
  return steps.find((step) => step >= most) ?? 3600 * roundCount(most / 3600)
}
