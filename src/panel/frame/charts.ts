import type { Language } from './i18n.ts'

/** The data of a chart: bars side by side, each a stack of its series. */
interface Chart {
  title: string
  bars: Bar[]
  series: Series[]
  /** The baseline from which bars go up or down. */
  base?: { value: number; name: string }
  /** The meaning of the intervals, if there are any. */
  intervals?: string
  shown: (value: number) => string
  /** The height of the axis for the highest bar: roundCountUp() or roundSecondsUp(). */
  ceiling: (max: number) => number
}

interface Bar {
  name: string
  href?: string | undefined
  short?: string
  /** Not over yet, and striped. */
  isOpen?: boolean
  /** The change from this bar on: a line marks it. */
  change?: string | undefined
}

/** One series: its colour (.key and .bar of charts.css), its name, and its value in each bar; below 0 for none. */
export interface Series {
  kind: string
  name: string
  values: number[]
  /** The bounds of the plausible true values. */
  intervals?: ({ low: number; high: number } | null)[]
}

/** Width of a step, and of its bar; the height of the chart. */
const STEP_WIDTH = 10
const BAR_WIDTH = 7
const CHART_HEIGHT = 100
/** The maximum number of bars with names below the chart. */
const MAX_NAMED_BARS = 5

/** A chart for views/_chart.eta. */
export function drawChart(chart: Chart, language: Language) {
  const { title, bars, series, shown: formatValue, ceiling, base } = chart
  const sums = bars.map((_, n) => series.reduce((sum, { values }) => sum + values[n]!, 0))
  const max = Math.max(...sums)
  const top = ceiling(max)
  const names = bars.map(({ name, short }) => short ?? name)
  const [first, middle, last] = [names[0]!, names[Math.floor(bars.length / 2)]!, names.at(-1)!]
  return {
    title,
    width: bars.length * STEP_WIDTH,
    height: CHART_HEIGHT,
    bars: series.map(({ kind }, n) => ({ kind, path: drawBars(chart, n, top) })),
    base: base && `M0 ${short(CHART_HEIGHT * (1 - base.value / top))}h${bars.length * STEP_WIDTH}`,
    whiskers: series.map(({ intervals = [] }) => drawWhiskers(intervals, top)).join(''),
    changes: bars.map(({ change }, n) => (change ? `M${n * STEP_WIDTH} 0v${CHART_HEIGHT}` : '')).join(''),
    legend: buildLegend(chart, language),
    points: bars.map(({ href }, n) => ({ href, text: formatBarText(chart, n, language) })),
    axis: [formatValue(top), formatValue(top / 2), '0'],
    ends: bars.length <= MAX_NAMED_BARS ? names : [...new Set([first, middle, last])],
    isEach: bars.length <= MAX_NAMED_BARS,
    summary: language.words.charts.summary(title, first, last, formatValue(max)),
  }
}

function buildLegend({ series, bars, base, intervals }: Chart, { words }: Language): { kind: string; name: string }[] {
  const change = bars.find((bar) => bar.change)?.change
  return [
    ...(series.length > 1 ? series.map(({ kind, name }) => ({ kind, name })) : []),
    ...(base ? [{ kind: 'base', name: base.name }] : []),
    ...(intervals ? [{ kind: 'whisker', name: intervals }] : []),
    ...(change ? [{ kind: 'change', name: change }] : []),
    ...(bars.some(({ isOpen }) => isOpen) ? [{ kind: 'open', name: words.charts.isOpen }] : []),
  ]
}

/** The value of a bar, in words. */
function formatBarText({ bars, series, shown: formatValue }: Chart, n: number, { words }: Language): string {
  const { name, change } = bars[n]!
  const values = series.map(({ name, values, intervals }) => {
    const interval = intervals?.[n]
    const value = `${name} ${formatValue(values[n]!)}`
    return interval ? `${value}, ${words.charts.between(formatValue(interval.low), formatValue(interval.high))}` : value
  })
  return `${name}: ${[...values, ...(change ? [change] : [])].join(', ')}`
}

/** The bars of one series, each on those of the series before it, or on the base. */
function drawBars({ series, bars, base }: Chart, seriesIndex: number, top: number): string {
  return series[seriesIndex]!.values.map((value, n) => {
    if (value < 0 || (value === 0 && !base)) return ''
    const below = series.slice(0, seriesIndex).reduce((sum, { values }) => sum + values[n]!, 0)
    const [from, to] = base ? [Math.min(base.value, value), Math.max(base.value, value)] : [below, below + value]
    const [y, height] = [CHART_HEIGHT * (1 - to / top), (CHART_HEIGHT * (to - from)) / top]
    if (bars[n]!.isOpen) return drawStripes(n * STEP_WIDTH + (STEP_WIDTH - BAR_WIDTH) / 2, y, height)
    // Small values must be visible.
    return `M${n * STEP_WIDTH + (STEP_WIDTH - BAR_WIDTH) / 2} ${short(y)}h${BAR_WIDTH}v${short(Math.max(height, 0.7))}h-${BAR_WIDTH}z`
  }).join('')
}

/** The interval of the true value, over the middle of each bar. */
function drawWhiskers(intervals: NonNullable<Series['intervals']>, top: number): string {
  return intervals
    .map((interval, n) => {
      if (!interval) return ''
      const [low, high] = [interval.low, interval.high].map((bound) => short(CHART_HEIGHT * (1 - bound / top)))
      const x = n * STEP_WIDTH + STEP_WIDTH / 2
      return `M${x - 1} ${high}h2M${x} ${high}V${low}M${x - 1} ${low}h2`
    })
    .join('')
}

function drawStripes(x: number, y: number, height: number): string {
  const lines = Array.from({ length: Math.max(1, Math.ceil(height / 6)) }, (_, n) => y + 6 * n)
  return lines
    .map((at) => `M${x} ${short(at)}h${BAR_WIDTH}v${short(Math.max(0.7, Math.min(3, y + height - at)))}h-${BAR_WIDTH}z`)
    .join('')
}

/** A share of 0 to 1 for views/_share.eta, with its interval, and a mark for comparison. */
export function drawShare(share: {
  value: number
  low?: number | null
  high?: number | null
  mark?: number
  title: string
}) {
  const { value, low = null, high = null, mark, title } = share
  const [from, to] = [low, high].map((bound) => (bound === null ? null : short(100 * bound)))
  return {
    title,
    width: short(100 * value),
    interval: from === null || to === null ? undefined : `M${from} 1v8M${from} 5H${to}M${to} 1v8`,
    mark: mark === undefined ? undefined : short(100 * mark),
  }
}

const short = (value: number): number => Math.round(value * 10) / 10

/** The next even round number: 2, 4, 10, 20, 40, 100 … */
export function roundCountUp(max: number): number {
  for (let step = 1; ; step *= 10) for (const n of [2, 4, 6, 8]) if (n * step >= max) return n * step
}

/** The next round time, in seconds, whose half is round too. */
export function roundSecondsUp(max: number): number {
  const steps = [2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200]
  return steps.find((step) => step >= max) ?? 3600 * roundCountUp(max / 3600)
}
