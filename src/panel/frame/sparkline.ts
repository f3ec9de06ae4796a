import type { Language } from './i18n.ts'

/** The weeks behind a figure. */
export interface Trend {
  /** The figure: Average score. */
  name: string
  /** One value per week, oldest first; null for a week without one. */
  values: readonly (number | null)[]
  /** The usual range, if there is one. */
  low?: number | null
  high?: number | null
  /** The colour of the last point: the band of a score (score-bands.ts), or neutral. */
  band?: 'low' | 'middle' | 'good' | undefined
  shown: (value: number) => string
}

/** The fewest values that make a line. */
const MIN_VALUES = 2

const WIDTH = 132
const HEIGHT = 22
/** The margin around the points, so that the last one is not cut off. */
const MARGIN = 4

/** A small line of weekly values for views/_sparkline.eta; undefined if there are too few. The page also shows the last value as text. */
export function drawSparkline(trend: Trend, language: Language) {
  const { values, low = null, high = null, band } = trend
  const known = values.filter((value) => value !== null)
  if (known.length < MIN_VALUES) return undefined
  const range = low === null || high === null ? [] : [low, high]
  const scale = createScale([...known, ...range])
  const points = values.map((value, n) =>
    value === null ? null : { x: round(MARGIN + (n * (WIDTH - 2 * MARGIN)) / (values.length - 1)), y: scale(value) },
  )
  const [lowY, highY] = range.map(scale)
  return {
    label: formatLabel(trend, known, language),
    width: WIDTH,
    height: HEIGHT,
    // A range of one value is still a visible line.
    usual:
      lowY === undefined || highY === undefined ? undefined : { y: highY, height: Math.max(1, round(lowY - highY)) },
    line: drawLine(points),
    last: points.at(-1),
    band: band ?? 'neutral',
  }
}

/** Joins neighbours. A value between two gaps is a dot: a line of no length with round ends. */
const drawLine = (points: ({ x: number; y: number } | null)[]): string =>
  points.map((point, n) => (point ? `${points[n - 1] ? 'L' : 'M'}${point.x} ${point.y}h0` : '')).join('')

/** Converts a value to a height; equal values are in the middle. */
function createScale(values: number[]): (value: number) => number {
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return (value) => round(max === min ? HEIGHT / 2 : MARGIN + ((HEIGHT - 2 * MARGIN) * (max - value)) / (max - min))
}

function formatLabel({ name, values, low, high, shown }: Trend, known: number[], { words }: Language): string {
  const t = words.charts
  const last = values.at(-1)
  return [
    t.trend(values.length, name, values.length, shown(Math.min(...known)), shown(Math.max(...known))),
    last == null ? t.noLastValue : t.lastValue(shown(last)),
    ...(low == null || high == null ? [] : [t.usualRange(shown(low), shown(high))]),
  ].join(', ')
}

const round = (value: number): number => Math.round(value * 10) / 10
