import type { Language } from './i18n.ts'

/** Weekly values of a figure, with the usual range. */
export interface SparklineData {
  /** Name of the figure, such as Average score. */
  name: string
  /** One value per week, oldest first; null without a value. */
  values: readonly (number | null)[]
  /** Limits of the usual range. */
  low?: number | null
  high?: number | null
  /** Colour of the last point, such as the band of a score; by default neutral. */
  band?: 'low' | 'middle' | 'good' | undefined
  shown: (value: number) => string
  /** In pixels; by default the size of a line in a table. */
  size?: { width: number; height: number }
}

const MIN_VALUES = 2

const DEFAULT_SIZE = { width: 132, height: 22 }
/** Keeps the last point inside the picture. */
const MARGIN = 4

/** Draws a small line of weekly values, for views/_sparkline.eta. Returns undefined for fewer than two values. */
export function drawSparkline(trend: SparklineData, language: Language) {
  const { values, low = null, high = null, band, size: { width, height } = DEFAULT_SIZE } = trend
  const known = values.filter((value) => value !== null)
  if (known.length < MIN_VALUES) return undefined
  const range = low === null || high === null ? [] : [low, high]
  const scale = createScale([...known, ...range], height)
  const points = values.map((value, n) =>
    value === null ? null : { x: round(MARGIN + (n * (width - 2 * MARGIN)) / (values.length - 1)), y: scale(value) },
  )
  const [lowY, highY] = range.map(scale)
  return {
    label: formatLabel(trend, known, language),
    width,
    height,
    // A range with equal limits gets 1 pixel, so that it stays visible.
    usual:
      lowY === undefined || highY === undefined ? undefined : { y: highY, height: Math.max(1, round(lowY - highY)) },
    line: drawLine(points),
    last: points.at(-1),
    band: band ?? 'neutral',
  }
}

/** Draws a line through all known values. `h0` with round ends makes a single value visible as a dot. */
const drawLine = (points: ({ x: number; y: number } | null)[]): string =>
  points
    .filter((point) => point !== null)
    .map(({ x, y }, n) => `${n > 0 ? 'L' : 'M'}${x} ${y}h0`)
    .join('')

/** Converts a value to a vertical position. If all values are equal, the line is in the middle. */
function createScale(values: number[], height: number): (value: number) => number {
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return (value) => round(max === min ? height / 2 : MARGIN + ((height - 2 * MARGIN) * (max - value)) / (max - min))
}

function formatLabel({ name, values, low, high, shown }: SparklineData, known: number[], { words }: Language): string {
  const t = words.charts
  const last = values.at(-1)
  return [
    t.trend(values.length, name, values.length, shown(Math.min(...known)), shown(Math.max(...known))),
    last == null ? t.noLastValue : t.lastValue(shown(last)),
    ...(low == null || high == null ? [] : [t.usualRange(shown(low), shown(high))]),
  ].join(', ')
}

const round = (value: number): number => Math.round(value * 10) / 10
