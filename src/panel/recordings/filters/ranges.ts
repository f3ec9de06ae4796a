import { dayAfter, readDay } from '../../frame/dates.ts'
import { text, type Translation } from '../../frame/words/translation.ts'
import type { ChipContext, Filter, FilterValues } from './filter.ts'

/** The texts before the bounds of a range. */
export const rangeWords = {
  since: text('from', 'с'),
  until: text('up to', 'по'),
  least: text('from', 'от'),
  most: text('up to', 'до'),
  below: text('below', 'ниже'),
}

type Special = (filters: FilterValues, context: ChipContext) => string | null

/** Two filters by the bounds of a range, with one chip. @param special its text, if it is another */
function range<N extends string>(
  label: Translation<string>,
  words: [Translation<string>, Translation<string>],
  bounds: Record<N, Filter>,
  format: (value: string, context: ChipContext) => string = (value) => value,
  special: Special = () => null,
): Record<N, Filter> {
  const together = Object.keys(bounds)
  const chip: Filter['chip'] = (_, context, filters) => {
    const [from, to] = together.map((name) => filters[name] && format(filters[name], context))
    const [fromWord, toWord] = words.map((word) => word[context.code])
    const parts = from === to ? [from] : [from && `${fromWord} ${from}`, to && `${toWord} ${to}`]
    return special(filters, context) ?? `${label[context.code]}: ${parts.filter(Boolean).join(' ')}`
  }
  const filters = Object.entries<Filter>(bounds).map(([name, bound]) => [name, { ...bound, chip, together }])
  return Object.fromEntries(filters) as Record<N, Filter>
}

const isDay: NonNullable<Filter['check']> = (value, { invalid }) => {
  const [, date = ''] = /^(.{10})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/.exec(value) ?? []
  return dayAfter(date) === undefined && invalid.day
}

function timeRange<N extends string>(
  label: Translation<string>,
  bounds: Record<N, Pick<Filter, 'label' | 'audit'>>,
  special?: Special,
): Record<N, Filter> {
  const [first, last] = Object.keys(bounds) as [N, N]
  const check: Filter['check'] = (value, t, filters) => {
    const isBackwards = filters[first] !== undefined && filters[first].slice(0, value.length) > value
    return isDay(value, t, filters) || (isBackwards && t.invalid.backwards)
  }
  // The last day includes all its hours.
  const api = { value: (value: string) => dayAfter(value) ?? value }
  const filters = {
    [first]: { ...bounds[first], check: isDay, parse: readDay },
    [last]: { ...bounds[last], check, parse: readDay, api },
  } as Record<N, Filter>
  const shown = (time: string, { format }: ChipContext) =>
    [format.day(time.slice(0, 10)), time.slice(11)].join(' ').trim()
  return range(label, [rangeWords.since, rangeWords.until], filters, shown, special)
}

export const date = timeRange(
  text('Call', 'Звонок'),
  {
    dateFrom: { label: text('Called from', 'Звонок с'), audit: text('from', 'с') },
    dateTo: { label: text('Called to', 'Звонок по'), audit: text('to', 'по') },
  },
  (_, { period }) => period,
)
export const created = timeRange(text('Received', 'Поступили'), {
  createdFrom: { label: text('Submitted from', 'Передан с') },
  createdTo: { label: text('Submitted to', 'Передан по') },
})
export const finished = timeRange(text('Ended', 'Завершены'), {
  finishedFrom: { label: text('Ended from', 'Завершено с') },
  finishedTo: { label: text('Ended to', 'Завершено по') },
})

/** Parses a length as people write it: minutes, or 1:30, or 1:04:12. Returns seconds, or NaN. */
function secondsOf(length: string): number {
  if (/^\d{1,5}([.,]\d{1,2})?$/.test(length)) return Number(length.replace(',', '.')) * 60
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)$/.exec(length) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

const isLength: NonNullable<Filter['check']> = (value, { invalid }) => Number.isNaN(secondsOf(value)) && invalid.length

export const length = range(text('Length', 'Длина'), [rangeWords.least, rangeWords.most], {
  lengthFrom: {
    label: text('Length from', 'Длина от'),
    audit: text('not shorter than', 'не короче'),
    check: isLength,
    api: { name: 'minDurationSeconds', value: (value) => String(secondsOf(value)) },
    field: { placeholder: '0:30' },
  },
  lengthTo: {
    label: text('Length to', 'Длина до'),
    audit: text('not longer than', 'не длиннее'),
    check: (value, t, filters) =>
      isLength(value, t, filters) || (secondsOf(filters.lengthFrom ?? '') > secondsOf(value) && t.invalid.shorter),
    // The last second includes all its fractions.
    api: { name: 'maxDurationSeconds', value: (value) => String(secondsOf(value) + 0.999) },
    field: { placeholder: '10' },
  },
})

/** The bands of scores, in the colours of the call's page: from the first score, below the second. */
export const BANDS = [
  { scoreFrom: undefined, scoreBelow: '50', text: text('below 50', 'ниже 50') },
  { scoreFrom: '50', scoreBelow: '70', text: text('50–69', '50–69') },
  { scoreFrom: '70', scoreBelow: undefined, text: text('70 and more', '70 и больше') },
]
export type Band = (typeof BANDS)[number]

/** The band of the filters, if they match a whole one. */
export const findBand = (filters: FilterValues): Band | undefined =>
  BANDS.find(({ scoreFrom, scoreBelow }) => scoreFrom === filters.scoreFrom && scoreBelow === filters.scoreBelow)

export const scoreLabel = text('Score', 'Оценка')
const withScore = text('With a score', 'С оценкой')

const isScore: Filter['check'] = (value, { rules }) => !/^\d{1,3}(\.\d+)?$/.test(value) && rules.number

export const score = range(
  scoreLabel,
  [rangeWords.least, rangeWords.below],
  {
    scoreFrom: {
      label: text('Score from', 'Оценка от'),
      check: isScore,
      field: { inputmode: 'decimal', placeholder: '50' },
    },
    scoreBelow: {
      label: text('Score below', 'Оценка ниже'),
      check: isScore,
      field: { inputmode: 'decimal', placeholder: '70' },
    },
  },
  undefined,
  (filters, { code }) => {
    const band = findBand(filters)
    if (band) return `${scoreLabel[code]}: ${band.text[code]}`
    return filters.scoreBelow === undefined && Number(filters.scoreFrom) === 0 ? withScore[code] : null
  },
)
