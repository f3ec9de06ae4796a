import { dayAfter, readDay } from '../../frame/dates.ts'
import { both, type Translation } from '../../frame/words/translation.ts'
import { isNumber, type Chip, type ChipContext, type Filter, type FilterValues } from './filter.ts'

type Bound = Omit<Filter, 'chip'>

/** Two filters by the bounds of a range, with one chip for both. @param whole the chip of a range that has a name */
function range(
  label: Translation<string>,
  [fromWord, toWord]: [Translation<string>, Translation<string>],
  shown: (value: string, context: ChipContext) => string,
  bounds: Record<string, Bound>,
  whole: (filters: FilterValues, context: ChipContext) => Chip | undefined = () => undefined,
): Filter[] {
  const names = Object.keys(bounds)
  function chip(filters: FilterValues, context: ChipContext): Chip {
    const named = whole(filters, context)
    if (named) return { names, ...named }
    const [from, to] = names.map((name) => filters[name] && shown(filters[name], context))
    const { code } = context
    const parts = from === to ? [from] : [from && `${fromWord[code]} ${from}`, to && `${toWord[code]} ${to}`]
    return { text: `${label[code]}: ${parts.filter(Boolean).join(' ')}`, names }
  }
  return Object.values(bounds).map((bound, n) => ({
    ...bound,
    chip: (_, filters, context) => (n === 0 || filters[names[0]!] === undefined) && chip(filters, context),
  }))
}

const isDay: Filter['check'] = (value, { invalid }) => {
  const [, date = ''] = /^(.{10})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/.exec(value) ?? []
  return dayAfter(date) === undefined && invalid.day
}

function timeRange(
  name: 'date' | 'created' | 'finished',
  label: Translation<string>,
  [from, to]: Pick<Filter, 'label' | 'audit'>[],
  whole?: (filters: FilterValues, context: ChipContext) => Chip | undefined,
): Filter[] {
  const first = `${name}From`
  const check: Filter['check'] = (value, t, filters) => {
    const isBackwards = filters[first] !== undefined && filters[first].slice(0, value.length) > value
    return isDay(value, t, filters) || (isBackwards && t.invalid.backwards)
  }
  // The last day is meant with all its hours.
  const api = { value: (value: string) => dayAfter(value) ?? value }
  return range(
    label,
    [both('from', 'с'), both('up to', 'по')],
    (time, { format }) => [format.day(time.slice(0, 10)), time.slice(11)].join(' ').trim(),
    {
      [first]: { check: isDay, parse: readDay, ...from! },
      [`${name}To`]: { check, parse: readDay, api, ...to! },
    },
    whole,
  )
}

export const [dateFrom, dateTo] = timeRange(
  'date',
  both('Call', 'Звонок'),
  [
    { label: both('Called from', 'Звонок с'), audit: both('from', 'с') },
    { label: both('Called to', 'Звонок по'), audit: both('to', 'по') },
  ],
  (_, { period }) => (period === null ? undefined : { text: period, inFacets: true }),
)
export const [createdFrom, createdTo] = timeRange('created', both('Received', 'Поступили'), [
  { label: both('Submitted from', 'Передан с') },
  { label: both('Submitted to', 'Передан по') },
])
export const [finishedFrom, finishedTo] = timeRange('finished', both('Ended', 'Завершены'), [
  { label: both('Ended from', 'Завершено с') },
  { label: both('Ended to', 'Завершено по') },
])

/** Parses a length as people write it: minutes, or 1:30, or 1:04:12. Returns seconds, NaN if it is none. */
function secondsOf(length: string): number {
  if (/^\d{1,5}([.,]\d{1,2})?$/.test(length)) return Number(length.replace(',', '.')) * 60
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)$/.exec(length) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

const isLength: Filter['check'] = (value, { invalid }) => Number.isNaN(secondsOf(value)) && invalid.length

export const [lengthFrom, lengthTo] = range(
  both('Length', 'Длина'),
  [both('from', 'от'), both('up to', 'до')],
  (length) => length,
  {
    lengthFrom: {
      label: both('Length from', 'Длина от'),
      audit: both('not shorter than', 'не короче'),
      check: isLength,
      api: { name: 'minDurationSeconds', value: (value) => String(secondsOf(value)) },
      field: { placeholder: '0:30' },
    },
    lengthTo: {
      label: both('Length to', 'Длина до'),
      audit: both('not longer than', 'не длиннее'),
      check: (value, t, filters) =>
        isLength(value, t, filters) || (secondsOf(filters.lengthFrom ?? '') > secondsOf(value) && t.invalid.shorter),
      // The last second is meant with all its parts.
      api: { name: 'maxDurationSeconds', value: (value) => String(secondsOf(value) + 0.999) },
      field: { placeholder: '10' },
    },
  },
)

/** The bands of scores, in the colours of the call's page: from the first score, below the second. */
export const BANDS = [
  { scoreFrom: undefined, scoreBelow: '50', text: both('below 50', 'ниже 50') },
  { scoreFrom: '50', scoreBelow: '70', text: both('50–69', '50–69') },
  { scoreFrom: '70', scoreBelow: undefined, text: both('70 and more', '70 и больше') },
]
export type Band = (typeof BANDS)[number]

/** The band that the filters choose, if they choose a whole one. */
export const findBand = (filters: FilterValues): Band | undefined =>
  BANDS.find(({ scoreFrom, scoreBelow }) => scoreFrom === filters.scoreFrom && scoreBelow === filters.scoreBelow)

export const score = both('Score', 'Оценка')
const withScore = both('With a score', 'С оценкой')

export const [scoreFrom, scoreBelow] = range(
  score,
  [both('from', 'от'), both('below', 'ниже')],
  (value) => value,
  {
    scoreFrom: {
      label: both('Score from', 'Оценка от'),
      check: isNumber,
      field: { inputmode: 'decimal', placeholder: '50' },
    },
    scoreBelow: {
      label: both('Score below', 'Оценка ниже'),
      check: isNumber,
      field: { inputmode: 'decimal', placeholder: '70' },
    },
  },
  (filters, { code }) => {
    const band = findBand(filters)
    if (band) return { text: `${score[code]}: ${band.text[code]}`, inFacets: true }
    return filters.scoreBelow === undefined && Number(filters.scoreFrom) === 0 ? { text: withScore[code] } : undefined
  },
)
