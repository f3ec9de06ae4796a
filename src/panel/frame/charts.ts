import type { Language } from './i18n.ts'

/** What a chart shows: bars side by side, each made of its series one above the other. */
export interface Chart {
  title: string
  /** The bars; `href` leads to what stands behind one, `short` stands below the chart, an open one is striped: it is not over. There is at least one. */
  bars: { name: string; href?: string | undefined; short?: string; isOpen?: boolean }[]
  series: Series[]
  /** How a value is written. */
  shown: (value: number) => string
  /** The height of the axis for the highest bar: roundCount() or roundTime(). */
  ceiling: (most: number) => number
}

/** One kind of value: its colour (.key and .bar of charts.css), its name, and its value in each bar. */
export interface Series {
  kind: string
  name: string
  values: number[]
}

/** Width of a step, and of its bar; the height of the chart. */
const STEP = 10
const BAR = 7
const HEIGHT = 100

/** A chart as views/_chart.eta draws it. */
export function drawChart({ title, bars, series, shown, ceiling }: Chart, { words }: Language) {
  const sums = bars.map((_, n) => series.reduce((sum, { values }) => sum + values[n]!, 0))
  const most = Math.max(...sums)
  const top = ceiling(most)
  const [first, middle, last] = [bars[0]!, bars[Math.floor(bars.length / 2)]!, bars.at(-1)!].map(
    ({ name, short }) => short ?? name,
  )
  return {
    title,
    width: bars.length * STEP,
    height: HEIGHT,
    bars: series.map(({ kind }, n) => ({ kind, path: pathOf(series, n, top, bars) })),
    legend: series.length > 1 ? series.map(({ kind, name }) => ({ kind, name })) : [],
    places: bars.map(({ name, href }, n) => ({
      href,
      text: `${name}: ${series.map(({ name, values }) => `${name} ${shown(values[n]!)}`).join(', ')}`,
    })),
    axis: [shown(top), shown(top / 2), '0'],
    ends: [...new Set([first, middle, last])],
    summary: words.charts.summary(title, first!, last!, shown(most)),
  }
}

/** The bars of one series, each on those of the series before it. */
function pathOf(series: Series[], which: number, top: number, bars: Chart['bars']): string {
  return series[which]!.values.map((value, n) => {
    if (value <= 0) return ''
    const below = series.slice(0, which).reduce((sum, { values }) => sum + values[n]!, 0)
    const [y, height] = [HEIGHT * (1 - (below + value) / top), (HEIGHT * value) / top]
    if (bars[n]!.isOpen) return stripes(n * STEP + (STEP - BAR) / 2, y, height)
    // What is there must be seen.
    return `M${n * STEP + (STEP - BAR) / 2} ${short(y)}h${BAR}v${short(Math.max(height, 0.7))}h-${BAR}z`
  }).join('')
}

/** Lines with gaps between them. */
function stripes(x: number, y: number, height: number): string {
  const lines = Array.from({ length: Math.max(1, Math.ceil(height / 6)) }, (_, n) => y + 6 * n)
  return lines
    .map((at) => `M${x} ${short(at)}h${BAR}v${short(Math.max(0.7, Math.min(3, y + height - at)))}h-${BAR}z`)
    .join('')
}

/** A share of 0 to 1 as views/_share.eta draws it, with its interval, and a mark to compare it with. */
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

/** The next even number that reads well: 2, 4, 10, 20, 40, 100 … */
export function roundCount(most: number): number {
  for (let step = 1; ; step *= 10) for (const n of [2, 4, 6, 8]) if (n * step >= most) return n * step
}

/** Seconds up to the next time of which also the half reads well. */
export function roundTime(most: number): number {
  const steps = [2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200]
  return steps.find((step) => step >= most) ?? 3600 * roundCount(most / 3600)
}
