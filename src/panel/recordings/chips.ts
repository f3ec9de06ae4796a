import type { Language } from '../frame/i18n.ts'
import { bandOf } from './facets.ts'
import { addressOf, wholeName, withFilters, type FilterName, type Filters, type ListState } from './filters.ts'

/** A filter that holds, as it stands above the list: what it is, and the list without it. */
interface Chip {
  text: string
  href: string
  /** Whether a wide page shows it among the facets already. */
  inFacets: boolean
}

/** The filters that hold, but for the search, which stands in its field. */
export function chipsOf(
  state: ListState,
  language: Language,
  shown: { departments: { id: string; name: string }[]; period: string | null; managers: string[] },
): Chip[] {
  const { filters } = state
  const { facets, filter } = language.words.recordings
  const chips: Chip[] = []
  const add: Add = (label, text, names, inFacets = false) => {
    const without = Object.fromEntries(names.map((name) => [name, null]))
    chips.push({ text: label ? `${label}: ${text}` : text, href: addressOf(withFilters(state, without)), inFacets })
  }
  const facet = (name: FilterName, texts: Record<string, string>) => {
    const value = filters[name]
    if (value === undefined) return
    const each = value.split(',')
    const text = each.map((one) => texts[one] ?? one).join(', ')
    add(facets[name as keyof typeof facets] as string, text, [name], each.length === 1)
  }
  facet('status', facets.statuses)
  facet('direction', facets.directions)
  facet('source', facets.sources)
  if (filters.manager) {
    const chosen = filters.manager.split('|').map(wholeName)
    add(
      filter.manager,
      chosen.join(', '),
      ['manager'],
      chosen.every((name) => shown.managers.includes(name)),
    )
  }
  facet('department', Object.fromEntries(shown.departments.map(({ id, name }) => [id, name])))
  const band = bandOf(filters)
  if (band) add(facets.score, facets.bands[band], ['scoreFrom', 'scoreBelow'], true)
  else facet('scoreBelow', {})
  facet('noSpeech', facets.speech)
  if (filters.scoreFrom && !band) add('', filter.scored(Number(filters.scoreFrom)), ['scoreFrom'])
  if (filters.rule) add(filter.rule, ruleOf(filters.rule, filter.verdicts), ['rule'])
  if (filters.linked) add('', filter.linked[filters.linked as 'true' | 'false'], ['linked'])
  if (filters.deal) add(filter.deal, filters.deal, ['deal'])
  if (filters.phone) add(filter.phone, filters.phone, ['phone'])
  if (filters.externalCallId) add(filter.callId, filters.externalCallId, ['externalCallId'])
  addSpans(filters, shown.period, add, language)
  return chips
}

/** Adds the chip of a filter, whose link takes the filters of these names away. */
type Add = (label: string, text: string, names: FilterName[], inFacets?: boolean) => void

/** Adds times and lengths, which have a first and a last. */
function addSpans(filters: Filters, period: string | null, add: Add, { words, format }: Language): void {
  const { filter } = words.recordings
  const { since, upTo, least, most } = filter
  const span = (from: string | undefined, to: string | undefined, [first, last]: ((what: string) => string)[]) =>
    from === to ? from! : [from && first!(from), to && last!(to)].filter(Boolean).join(' ')
  if (period) add('', period, ['dateFrom', 'dateTo'], true)
  else if (filters.dateFrom || filters.dateTo) {
    const day = (text: string | undefined) => text && [format.day(text.slice(0, 10)), text.slice(11)].join(' ').trim()
    add(words.recordings.columns.time, span(day(filters.dateFrom), day(filters.dateTo), [since, upTo]), [
      'dateFrom',
      'dateTo',
    ])
  }
  for (const name of ['created', 'finished'] as const) {
    const day = (text: string | undefined) => text && format.day(text.slice(0, 10))
    const [from, to] = [filters[`${name}From`], filters[`${name}To`]]
    if (from || to) add(filter[name], span(day(from), day(to), [since, upTo]), [`${name}From`, `${name}To`])
  }
  if (filters.lengthFrom || filters.lengthTo) {
    add(words.recordings.columns.length, span(filters.lengthFrom, filters.lengthTo, [least, most]), [
      'lengthFrom',
      'lengthTo',
    ])
  }
}

/** A rule by its key, because nobody else knows its name here, and the verdict. */
function ruleOf(rule: string, verdicts: Record<string, string>): string {
  const [name = '', verdict = 'missed'] = rule.split(':')
  return `${name.split('/')[1]}, ${verdicts[verdict]}`
}
