import type { RelativePeriod } from '../../../platform/lib/relative-period.ts'
import { addDays, getDayAfter, parseDay } from '../../frame/dates.ts'
import type { ScoreBand, ScoreBandLimits } from '../../frame/score-bands.ts'
import { text, type Translation } from '../../frame/words/translation.ts'
import type { FilterChipContext, CallFilter, RawFilterValues } from './filter.ts'

/** Words before the limits of a range, in a chip. */
export const filterRangeWords = {
  since: text('from', 'с'),
  until: text('up to', 'по'),
  least: text('from', 'от'),
  most: text('up to', 'до'),
  below: text('below', 'ниже'),
}

type ChipFormatter = (filters: RawFilterValues, context: FilterChipContext) => string | null

/**
 * Creates the filters for both limits of a range, with a common chip. @param formatSpecialChip replaces the text of the chip
 * unless it returns null
 */
function createRange<N extends string>(
  label: Translation<string>,
  words: [Translation<string>, Translation<string>],
  bounds: Record<N, CallFilter>,
  format: (value: string, context: FilterChipContext) => string = (value) => value,
  formatSpecialChip: ChipFormatter = () => null,
): Record<N, CallFilter> {
  const together = Object.keys(bounds)
  const chip: CallFilter['chip'] = (_, context, filters) => {
    const [from, to] = together.map((name) => filters[name] && format(filters[name], context))
    const [fromWord, toWord] = words.map((word) => word[context.code])
    const parts = from === to ? [from] : [from && `${fromWord} ${from}`, to && `${toWord} ${to}`]
    return formatSpecialChip(filters, context) ?? `${label[context.code]}: ${parts.filter(Boolean).join(' ')}`
  }
  const filters = Object.entries<CallFilter>(bounds).map(([name, bound]) => [name, { ...bound, chip, together }])
  return Object.fromEntries(filters) as Record<N, CallFilter>
}

const checkDay: NonNullable<CallFilter['check']> = (value, { invalid }) => {
  const [, day = ''] = /^(.{10})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/.exec(value) ?? []
  return getDayAfter(day) === undefined && invalid.day
}

function createTimeRange<N extends string>(
  label: Translation<string>,
  bounds: Record<N, Pick<CallFilter, 'label' | 'audit'>>,
  formatSpecialChip?: ChipFormatter,
): Record<N, CallFilter> {
  const [first, last] = Object.keys(bounds) as [N, N]
  const check: CallFilter['check'] = (value, t, filters) => {
    const isBackwards = filters[first] !== undefined && filters[first].slice(0, value.length) > value
    return checkDay(value, t, filters) || (isBackwards && t.invalid.backwards)
  }
  // The API excludes the end, so the day after is sent to include the whole last day.
  const api = {
    value: (value: string) => getDayAfter(value) ?? value,
    parse: (value: string) => (getDayAfter(value) === undefined ? value : addDays(value, -1)),
  }
  const filters = {
    [first]: { ...bounds[first], check: checkDay, parse: parseDay },
    [last]: { ...bounds[last], check, parse: parseDay, api },
  } as Record<N, CallFilter>
  const formatTime = (time: string, { format }: FilterChipContext) =>
    [format.day(time.slice(0, 10)), time.slice(11)].join(' ').trim()
  return createRange(label, [filterRangeWords.since, filterRangeWords.until], filters, formatTime, formatSpecialChip)
}

/** The names of relative periods. */
export const relativePeriodWords = text<Record<RelativePeriod, string>>(
  {
    today: 'Today',
    yesterday: 'Yesterday',
    thisWeek: 'This week',
    lastWeek: 'Last week',
    last7Days: 'Last 7 days',
    last30Days: 'Last 30 days',
    thisMonth: 'This month',
    lastMonth: 'Last month',
  },
  {
    today: 'Сегодня',
    yesterday: 'Вчера',
    thisWeek: 'Эта неделя',
    lastWeek: 'Прошлая неделя',
    last7Days: 'Последние 7 дней',
    last30Days: 'Последние 30 дней',
    thisMonth: 'Этот месяц',
    lastMonth: 'Прошлый месяц',
  },
)

/** Days relative to the current day. The chip shows only the value. */
export const periodPanelFilter: CallFilter = {
  label: text('Period', 'Период'),
  values: relativePeriodWords,
  chip: (value, { code }) => relativePeriodWords[code][value as RelativePeriod],
}

export const callDateFilters = createTimeRange(
  text('Call time', 'Звонок'),
  {
    dateFrom: { label: text('From', 'Звонок с'), audit: text('from', 'с') },
    dateTo: { label: text('To', 'Звонок по'), audit: text('to', 'по') },
  },
  (_, { period }) => period,
)
export const createdDateFilters = createTimeRange(text('Submitted', 'Поступил'), {
  createdFrom: { label: text('Submitted from', 'Поступил с') },
  createdTo: { label: text('Submitted to', 'Поступил по') },
})
export const finishedDateFilters = createTimeRange(text('Ended', 'Завершён'), {
  finishedFrom: { label: text('Ended from', 'Завершён с') },
  finishedTo: { label: text('Ended to', 'Завершён по') },
})

/** Parses a duration such as 1.5 (minutes), 1:30 or 1:04:12. @returns seconds, or NaN for other text */
function parseSeconds(text: string): number {
  if (/^\d{1,5}([.,]\d{1,2})?$/.test(text)) return Number(text.replace(',', '.')) * 60
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)$/.exec(text) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Formats seconds of the API as minutes and seconds, such as 90.999 as 1:30. */
function formatSeconds(text: string): string {
  const seconds = Math.floor(Number(text))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const checkLength: NonNullable<CallFilter['check']> = (value, { invalid }) =>
  Number.isNaN(parseSeconds(value)) && invalid.length

export const callLengthFilters = createRange(
  text('Duration', 'Длительность'),
  [filterRangeWords.least, filterRangeWords.most],
  {
    lengthFrom: {
      label: text('Duration from', 'Длительность от'),
      audit: text('duration from, seconds', 'длительность от, секунд'),
      check: checkLength,
      api: { name: 'minDurationSeconds', value: (value) => String(parseSeconds(value)), parse: formatSeconds },
      field: { placeholder: '0:30' },
    },
    lengthTo: {
      label: text('Duration to', 'Длительность до'),
      audit: text('duration to, seconds', 'длительность до, секунд'),
      check: (value, t, filters) =>
        checkLength(value, t, filters) ||
        (parseSeconds(filters.lengthFrom ?? '') > parseSeconds(value) && t.invalid.shorter),
      // Durations have fractions, but the page shows whole seconds, so the maximum includes the rest of the last second.
      api: { name: 'maxDurationSeconds', value: (value) => String(parseSeconds(value) + 0.999), parse: formatSeconds },
      field: { placeholder: '10' },
    },
  },
)

/** A score band as values of the score filters: `scoreFrom` is inclusive, `scoreBelow` exclusive. */
interface ScoreBandFilter {
  band: ScoreBand
  scoreFrom: string | undefined
  scoreBelow: string | undefined
  text: Translation<string>
}

/** Builds the filter values of each score band, lowest first. */
export function buildScoreBandFilters([middle, good]: ScoreBandLimits): ScoreBandFilter[] {
  const [from, below] = [String(middle), String(good)]
  const last = good - 1
  const range = last === middle ? from : `${from}–${last}`
  return [
    { band: 'low', scoreFrom: undefined, scoreBelow: from, text: text(`below ${from}`, `ниже ${from}`) },
    { band: 'middle', scoreFrom: from, scoreBelow: below, text: text(range, range) },
    { band: 'good', scoreFrom: below, scoreBelow: undefined, text: text(`${below} and above`, `${below} и выше`) },
  ]
}

/** Returns the score band that the score filters select exactly; otherwise undefined. */
export const findScoreBandFilter = (filters: RawFilterValues, bands: ScoreBandLimits): ScoreBandFilter | undefined =>
  buildScoreBandFilters(bands).find(
    ({ scoreFrom, scoreBelow }) => scoreFrom === filters.scoreFrom && scoreBelow === filters.scoreBelow,
  )

export const scoreFilterLabel = text('Score', 'Оценка')
const anyScoreLabel = text('With a score', 'С оценкой')

const checkScore: CallFilter['check'] = (value, { rules }) => !/^\d{1,3}(\.\d+)?$/.test(value) && rules.number

export const scoreFilters = createRange(
  scoreFilterLabel,
  [filterRangeWords.least, filterRangeWords.below],
  {
    scoreFrom: {
      label: text('Score from', 'Оценка от'),
      check: checkScore,
      field: { inputmode: 'decimal', placeholder: '50' },
    },
    scoreBelow: {
      label: text('Score below', 'Оценка ниже'),
      check: checkScore,
      field: { inputmode: 'decimal', placeholder: '70' },
    },
  },
  undefined,
  (filters, { code, bands }) => {
    const band = findScoreBandFilter(filters, bands)
    if (band) return `${scoreFilterLabel[code]}: ${band.text[code]}`
    return filters.scoreBelow === undefined && Number(filters.scoreFrom) === 0 ? anyScoreLabel[code] : null
  },
)
