import type { Language } from './i18n.ts'

/** Data of a bar chart. Each bar stacks the values of all series. */
interface Chart {
  title: string
  bars: Bar[]
  series: ChartSeries[]
  /** The value from which bars extend up or down. */
  base?: { value: number; name: string }
  /** Label of the confidence intervals in the legend. */
  intervals?: string
  shown: (value: number) => string
  /** Rounds the highest value up to the top of the axis, as roundAxisCountUp() and roundAxisSecondsUp() do. */
  ceiling: (max: number) => number
}

interface Bar {
  name: string
  href?: string | undefined
  short?: string
  /** An incomplete period, drawn with stripes. */
  isOpen?: boolean
  /** Text of the line that marks a change from this bar on. */
  change?: string | undefined
}

/** One value per bar; a value below 0 is not drawn. `kind` is the CSS class that sets the colour (charts.css). */
export interface ChartSeries {
  kind: string
  name: string
  values: number[]
  /** Confidence interval of each value; null without one. */
  intervals?: ({ low: number; high: number } | null)[]
}

/** Sizes in units of the SVG. A step is a bar with the gap beside it. */
const STEP_WIDTH = 10
const BAR_WIDTH = 7
const CHART_HEIGHT = 100
/** Charts with more bars name only the first, the middle and the last one. */
const MAX_NAMED_BARS = 5

/** Draws a bar chart as SVG paths, a legend and a text alternative, for views/_chart.eta. */
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

/** Formats a bar's values, intervals and change as one sentence for screen readers. */
function formatBarText({ bars, series, shown: formatValue }: Chart, n: number, { words }: Language): string {
  const { name, change } = bars[n]!
  const values = series.map(({ name, values, intervals }) => {
    const interval = intervals?.[n]
    const value = `${name} ${formatValue(values[n]!)}`
    return interval ? `${value}, ${words.charts.between(formatValue(interval.low), formatValue(interval.high))}` : value
  })
  return `${name}: ${[...values, ...(change ? [change] : [])].join(', ')}`
}

/** Draws the bars of one series on top of the previous series, or from the base. */
function drawBars({ series, bars, base }: Chart, seriesIndex: number, top: number): string {
  return series[seriesIndex]!.values.map((value, n) => {
    if (value < 0 || (value === 0 && !base)) return ''
    const below = series.slice(0, seriesIndex).reduce((sum, { values }) => sum + values[n]!, 0)
    const [from, to] = base ? [Math.min(base.value, value), Math.max(base.value, value)] : [below, below + value]
    const [y, height] = [CHART_HEIGHT * (1 - to / top), (CHART_HEIGHT * (to - from)) / top]
    if (bars[n]!.isOpen) return drawStripes(n * STEP_WIDTH + (STEP_WIDTH - BAR_WIDTH) / 2, y, height)
    // Draws at least 0.7 units, so that small values stay visible.
    return `M${n * STEP_WIDTH + (STEP_WIDTH - BAR_WIDTH) / 2} ${short(y)}h${BAR_WIDTH}v${short(Math.max(height, 0.7))}h-${BAR_WIDTH}z`
  }).join('')
}

function drawWhiskers(intervals: NonNullable<ChartSeries['intervals']>, top: number): string {
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

/**
 * Draws a share from 0 to 1 as a bar, for views/_share.eta. `low` and `high` bound its interval; `mark` is a share to compare
 * with.
 */
export function drawShareBar(share: {
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

/**
 * Draws a value as a dot on a line, and its usual range as a band, for the home page. The line extends beyond both by a
 * quarter of their span. Units are pixels.
 */
export function drawRangeDot({ value, low, high }: { value: number; low: number; high: number }) {
  const [min, max] = [Math.min(value, low), Math.max(value, high)]
  const margin = (max - min) / 4 || 1
  const scale = (one: number) => short((RANGE_WIDTH * (one - min + margin)) / (max - min + 2 * margin))
  return {
    width: RANGE_WIDTH,
    dot: scale(value),
    // A range with equal limits stays visible.
    band: { x: scale(low), width: Math.max(2, short(scale(high) - scale(low))) },
  }
}

const RANGE_WIDTH = 112

const short = (value: number): number => Math.round(value * 10) / 10

/** Rounds a count up to an even axis limit: 2, 4, 6, 8, 20, 40, 60, 80 and so on. */
export function roundAxisCountUp(max: number): number {
  for (let step = 1; ; step *= 10) for (const n of [2, 4, 6, 8]) if (n * step >= max) return n * step
}

/** Rounds seconds up to an axis limit whose half is also a round time. */
export function roundAxisSecondsUp(max: number): number {
  const steps = [2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200]
  return steps.find((step) => step >= max) ?? 3600 * roundAxisCountUp(max / 3600)
}
