import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { Language } from '../frame/i18n.ts'
import { formatFilteredListHref, FILTERS, type FilterChanges, type FilterName, type ListState } from './filters.ts'
import { parseManagers } from './filters/managers.ts'
import type { ScoreBand, ScoreBands } from '../frame/score-bands.ts'
import { buildScoreBandFilters, findScoreBandFilter, scoreLabel } from './filters/ranges.ts'

/** The facets with counts of the API. Each is counted without its own filter, so that it shows the alternatives. */
export const FACETS = ['status', 'direction', 'source', 'manager', 'department'] as const
export type FacetName = (typeof FACETS)[number]

/** Counts that only some lists have. */
interface OptionalCounts {
  /** Calls in each band of scores, whatever the filters by score. */
  scores: Map<ScoreBand, number>
  bands: ScoreBands
  noSpeech: number
}

/** A value that narrows the list, and its calls. */
interface FacetChoice {
  text: string
  count: string
  href: string
  current: boolean
  /** A class that colours its text. */
  kind?: string
}

/** Managers shown at once, and on request. */
const SHOWN_MANAGERS = 8
const MAX_MANAGERS = 100

/** Statuses that are shown even without calls, so that the list does not jump. */
const ALWAYS_SHOWN_STATUSES: readonly string[] = ['DONE', 'PROCESSING', 'QUEUED', 'FAILED']

/** The facets as groups of links, each with its count. */
export function buildFacets(
  state: ListState,
  counts: Record<FacetName, FacetsJson>,
  { scores, bands, noSpeech }: OptionalCounts,
  language: Language,
) {
  const { words, format, code } = language
  const { filters } = state
  const buildChoice = (text: string, count: number, current: boolean, changes: FilterChanges): FacetChoice => ({
    text,
    count: format.number(count),
    href: formatFilteredListHref(state, changes),
    current,
  })
  const buildValueChoice = (name: FilterName, value: string, text: string, count: number) => {
    const current = filters[name] === value
    return buildChoice(text, count, current, { [name]: current ? null : value })
  }
  const buildGroup = (
    name: FilterName,
    choices: FacetChoice[],
    more: FacetChoice[] = [],
    title = FILTERS[name].label[code],
  ) => ({
    id: `facet-${name}`,
    title,
    choices,
    more,
    moreText: words.recordings.facets.more(format.number(more.length)),
  })
  const buildValueChoices = (name: 'status' | 'direction' | 'source') => {
    const countsByValue: Record<string, number> = counts[name][name]
    return Object.entries(FILTERS[name].values![code])
      .map(([value, text]) => ({ value, text, count: countsByValue[value] ?? 0 }))
      .filter(({ value, count }) => count > 0 || filters[name] === value || ALWAYS_SHOWN_STATUSES.includes(value))
      .map(({ value, text, count }) => buildValueChoice(name, value, text, count))
  }

  const all = buildChoice(words.recordings.facets.all, counts.status.total, filters.status === undefined, {
    status: null,
  })
  const sources = buildValueChoices('source')
  const managers = buildManagerChoices(counts.manager, parseManagers(filters.manager), buildChoice)
  const departments = counts.department.departments.map(({ id, name, count }) =>
    buildValueChoice('department', id, name, count),
  )
  const chosenBand = findScoreBandFilter(filters, bands)?.band
  const bandChoices = buildScoreBandFilters(bands)
    .filter(({ band }) => scores.get(band) || band === chosenBand)
    .map(({ band, scoreFrom, scoreBelow, text }) => {
      const changes = band === chosenBand ? { scoreFrom: null, scoreBelow: null } : { scoreFrom, scoreBelow }
      const choice = buildChoice(text[code], scores.get(band) ?? 0, band === chosenBand, changes)
      return { ...choice, kind: `score-${band}` }
    })
  const showsSpeech = noSpeech > 0 || filters.noSpeech
  return {
    status: buildGroup('status', [all, ...buildValueChoices('status')]),
    others: [
      buildGroup('direction', buildValueChoices('direction')),
      buildGroup('source', sources.length > 1 || filters.source ? sources : []),
      buildGroup('manager', managers.slice(0, SHOWN_MANAGERS), managers.slice(SHOWN_MANAGERS, MAX_MANAGERS)),
      buildGroup('department', departments),
      buildGroup('scoreBelow', bandChoices, [], scoreLabel[code]),
      buildGroup(
        'noSpeech',
        showsSpeech ? [buildValueChoice('noSpeech', 'true', FILTERS.noSpeech.values![code].true!, noSpeech)] : [],
      ),
    ].filter(({ choices }) => choices.length > 0),
  }
}

/** A click adds a manager to the filter, or removes them. Chosen ones come among the first, however few calls they have. */
function buildManagerChoices(
  { managers }: FacetsJson,
  chosenManagers: string[],
  buildChoice: (text: string, count: number, current: boolean, changes: FilterChanges) => FacetChoice,
): FacetChoice[] {
  const choices = managers.map(({ name, count }) => {
    const current = chosenManagers.includes(name)
    const others = chosenManagers.filter((one) => one !== name)
    return buildChoice(name, count, current, { manager: (current ? others : [...others, name]).join('|') })
  })
  const laterChoices = choices.splice(SHOWN_MANAGERS)
  return [
    ...laterChoices.filter(({ current }) => current),
    ...choices,
    ...laterChoices.filter(({ current }) => !current),
  ]
}
