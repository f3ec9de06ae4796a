import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { Language } from '../frame/i18n.ts'
import {
  formatCallListHrefWithFilterChanges,
  CALL_FILTERS,
  type CallFilterChanges,
  type CallFilterName,
  type CallListState,
} from './filters.ts'
import { parseManagerFilter } from './filters/managers.ts'
import type { ScoreBand, ScoreBandLimits } from '../frame/score-bands.ts'
import { buildScoreBandFilters, findScoreBandFilter, scoreFilterLabel } from './filters/ranges.ts'

/** Filters whose values the page lists with counts. */
export const FACET_NAMES = ['status', 'direction', 'source', 'manager', 'department'] as const
export type FacetName = (typeof FACET_NAMES)[number]

interface OptionalCounts {
  /** Number of calls per score band, ignoring the score filters. */
  scores: Map<ScoreBand, number>
  bands: ScoreBandLimits
  noSpeech: number
}

/** A filter value with the number of calls and a link that selects it. */
interface FacetChoice {
  text: string
  count: string
  href: string
  current: boolean
  kind?: string
}

/** The list shows SHOWN_MANAGERS at once and up to MAX_MANAGERS on request. */
const SHOWN_MANAGERS = 8
const MAX_MANAGERS = 100

/** Statuses that are shown even without calls, so that the facet keeps its height. */
const ALWAYS_SHOWN_STATUSES: readonly string[] = ['DONE', 'PROCESSING', 'QUEUED', 'FAILED']

/** Builds the facets as groups of links with counts. A link selects a value or removes it. */
export function buildCallFacets(
  state: CallListState,
  counts: Record<FacetName, RecordingFacetsJson>,
  { scores, bands, noSpeech }: OptionalCounts,
  language: Language,
) {
  const { words, format, code } = language
  const { filters } = state
  const buildChoice = (text: string, count: number, current: boolean, changes: CallFilterChanges): FacetChoice => ({
    text,
    count: format.number(count),
    href: formatCallListHrefWithFilterChanges(state, changes),
    current,
  })
  const buildValueChoice = (name: CallFilterName, value: string, text: string, count: number) => {
    const current = filters[name] === value
    return buildChoice(text, count, current, { [name]: current ? null : value })
  }
  const buildGroup = (
    name: CallFilterName,
    choices: FacetChoice[],
    more: FacetChoice[] = [],
    title = CALL_FILTERS[name].label[code],
  ) => ({
    id: `facet-${name}`,
    title,
    choices,
    more,
    moreText: words.recordings.facets.more(format.number(more.length)),
  })
  const buildValueChoices = (name: 'status' | 'direction' | 'source') => {
    const countsByValue: Record<string, number> = counts[name][name]
    return Object.entries(CALL_FILTERS[name].values![code])
      .map(([value, text]) => ({ value, text, count: countsByValue[value] ?? 0 }))
      .filter(({ value, count }) => count > 0 || filters[name] === value || ALWAYS_SHOWN_STATUSES.includes(value))
      .map(({ value, text, count }) => buildValueChoice(name, value, text, count))
  }

  const all = buildChoice(words.recordings.facets.all, counts.status.total, filters.status === undefined, {
    status: null,
  })
  const sources = buildValueChoices('source')
  const managers = buildManagerChoices(counts.manager, parseManagerFilter(filters.manager), buildChoice)
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
      buildGroup('scoreBelow', bandChoices, [], scoreFilterLabel[code]),
      buildGroup(
        'noSpeech',
        showsSpeech ? [buildValueChoice('noSpeech', 'true', CALL_FILTERS.noSpeech.values![code].true!, noSpeech)] : [],
      ),
    ].filter(({ choices }) => choices.length > 0),
  }
}

/** Builds links that add or remove a manager. Selected managers beyond the first SHOWN_MANAGERS move to the front. */
function buildManagerChoices(
  { managers }: RecordingFacetsJson,
  chosenManagers: string[],
  buildChoice: (text: string, count: number, current: boolean, changes: CallFilterChanges) => FacetChoice,
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
