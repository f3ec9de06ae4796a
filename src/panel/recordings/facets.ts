import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { Language } from '../frame/i18n.ts'
import { addressWith, FILTERS, type FilterChanges, type FilterName, type ListState } from './filters.ts'
import { managersOf } from './filters/managers.ts'
import { BANDS, findBand, scoreLabel, type Band } from './filters/ranges.ts'

/** The facets with counts of the API. Each is counted without its own filter, so that it shows the alternatives. */
export const FACETS = ['status', 'direction', 'source', 'manager', 'department'] as const
export type FacetName = (typeof FACETS)[number]

/** Counts that only some lists have. */
interface RareCounts {
  /** Calls in each band of scores, whatever the filters by score. */
  scores: Map<Band, number>
  noSpeech: number
}

/** A value that narrows the list, and its calls. */
interface Choice {
  text: string
  count: string
  href: string
  current: boolean
}

/** Managers shown at once, and on request. */
const MANAGERS = 8
const MORE_MANAGERS = 100

/** Statuses that are shown even without calls, so that the list does not jump. */
const ALWAYS: readonly string[] = ['DONE', 'PROCESSING', 'QUEUED', 'FAILED']

/** The facets as groups of links, each with its count. */
export function facetsOf(
  state: ListState,
  counts: Record<FacetName, FacetsJson>,
  { scores, noSpeech }: RareCounts,
  language: Language,
) {
  const { words, format, code } = language
  const { filters } = state
  const choice = (text: string, count: number, current: boolean, changes: FilterChanges): Choice => ({
    text,
    count: format.number(count),
    href: addressWith(state, changes),
    current,
  })
  const byValue = (name: FilterName, value: string, text: string, count: number) => {
    const current = filters[name] === value
    return choice(text, count, current, { [name]: current ? null : value })
  }
  const group = (name: FilterName, choices: Choice[], more: Choice[] = [], title = FILTERS[name].label[code]) => ({
    id: `facet-${name}`,
    title,
    choices,
    more,
    moreText: words.recordings.facets.more(format.number(more.length)),
  })
  const byValues = (name: 'status' | 'direction' | 'source') => {
    const found: Record<string, number> = counts[name][name]
    return Object.entries(FILTERS[name].values![code])
      .map(([value, text]) => ({ value, text, count: found[value] ?? 0 }))
      .filter(({ value, count }) => count > 0 || filters[name] === value || ALWAYS.includes(value))
      .map(({ value, text, count }) => byValue(name, value, text, count))
  }

  const all = choice(words.recordings.facets.all, counts.status.total, filters.status === undefined, { status: null })
  const sources = byValues('source')
  const managers = managerChoices(counts.manager, managersOf(filters.manager), choice)
  const departments = counts.department.departments.map(({ id, name, count }) => byValue('department', id, name, count))
  const chosenBand = findBand(filters)
  const bands = BANDS.filter((band) => scores.get(band) || band === chosenBand).map((band) => {
    const { scoreFrom, scoreBelow } = band === chosenBand ? { scoreFrom: null, scoreBelow: null } : band
    return choice(band.text[code], scores.get(band) ?? 0, band === chosenBand, { scoreFrom, scoreBelow })
  })
  const speech = noSpeech > 0 || filters.noSpeech
  return {
    status: group('status', [all, ...byValues('status')]),
    others: [
      group('direction', byValues('direction')),
      group('source', sources.length > 1 || filters.source ? sources : []),
      group('manager', managers.slice(0, MANAGERS), managers.slice(MANAGERS, MORE_MANAGERS)),
      group('department', departments),
      group('scoreBelow', bands, [], scoreLabel[code]),
      group('noSpeech', speech ? [byValue('noSpeech', 'true', FILTERS.noSpeech.values![code].true!, noSpeech)] : []),
    ].filter(({ choices }) => choices.length > 0),
  }
}

/** A click adds a manager to the filter, or removes them. Chosen ones come among the first, however few calls they have. */
function managerChoices(
  { managers }: FacetsJson,
  chosen: string[],
  choice: (text: string, count: number, current: boolean, changes: FilterChanges) => Choice,
): Choice[] {
  const choices = managers.map(({ name, count }) => {
    const current = chosen.includes(name)
    const others = chosen.filter((one) => one !== name)
    return choice(name, count, current, { manager: (current ? others : [...others, name]).join('|') })
  })
  const late = choices.splice(MANAGERS)
  return [...late.filter(({ current }) => current), ...choices, ...late.filter(({ current }) => !current)]
}
