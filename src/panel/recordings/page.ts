import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { CatalogJson, FacetsJson } from '../../calls/list/overview-schema.ts'
import type { SuggestionJson } from '../../calls/list/suggestions-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { Fields } from '../frame/fields.ts'
import { titleOf } from '../frame/page-title.ts'
import { pagingOf } from '../frame/paging.ts'
import { FACETS, facetsOf, type FacetName } from './facets.ts'
import {
  addressOf,
  addressWith,
  chipsOf,
  FILTERS,
  findErrors,
  ordersOf,
  PAGE_SIZES,
  questionOf,
  readState,
  validFilters,
  type FilterName,
  type Filters,
  type ListState,
} from './filters.ts'
import { BANDS, type Band } from './filters/ranges.ts'
import { daysOf, monthsOf } from './months.ts'
import { recordingRow } from './view.ts'
import { isRefresh, renderPage, renderParts, redirect, type Person, type PageContext } from '../frame/context.ts'
import type { Page } from '../frame/page.ts'
import { recordingsActions } from './actions.ts'
import { recordings } from './words.ts'

export const recordingsPage: Page<'recordings', typeof recordings> = {
  name: 'recordings',
  words: recordings,
  routes: [
    { method: 'get', path: '/', handle: async ({ ctx }) => redirect(ctx, '/recordings') },
    { method: 'get', path: '/recordings', handle: showList },
    ...recordingsActions,
  ],
  menu: {
    href: '/recordings',
    title: recordings.title,
    group: 'work',
    badge: { read: async ({ api }) => ({ count: (await api.read<FacetsJson>('/v1/recordings/facets')).total }) },
  },
  styles: ['recordings', 'facets'],
  scripts: ['recordings'],
}

/** A page of GET /v1/recordings with its excerpts, and the calls in each band of scores. */
interface ListPage {
  items: RecordingJson[]
  total: number
  excerpts: Map<string, ExcerptJson>
  scores: Map<Band, number>
}

async function showList(context: PageContext): Promise<void> {
  const state = readState(context.ctx.query)
  const filters = validFilters(state.filters, context.language)
  const isPart = isRefresh(context.ctx)
  const { person } = context
  const [page, counts, catalog, noSpeech] = await Promise.all([
    loadList(context, state, filters),
    loadCounts(context, filters, isPart ? ['status'] : FACETS),
    context.api.read<CatalogJson>(questionOf('/v1/recordings/catalog', filters, ['dateFrom', 'dateTo'])),
    isPart ? 0 : countCalls(context, { ...filters, noSpeech: 'true' }),
  ])
  const list = listData(context, state, person, page, counts, catalog)
  const facets = facetsOf(state, counts, { scores: page.scores, noSpeech }, context.language)
  if (isPart) {
    const data = { ...list, group: facets.status, refresh: true }
    return renderParts(context, ['recordings/_list', 'recordings/_status', '_counts'], data)
  }
  const around = aroundList(context, state, counts, list.months.period)
  const suggestions = page.total === 0 && filters.q ? await loadSuggestions(context, filters.q) : []
  // A wide page shows these among the facets already.
  const links = [facets.status, ...facets.others].flatMap(({ choices, more }) => [...choices, ...more])
  const current = [...links, ...list.months.bars, ...list.months.years].filter((link) => link.current)
  const inFacets = new Set(current.map(({ href }) => href))
  const { title: heading } = context.language.words.recordings
  await renderPage(context, 'recordings/index', {
    title: titleOf(heading, [filters.q, ...around.chips.map(({ text }) => text)]),
    heading,
    scripts: ['recordings.js'],
    facets,
    ...list,
    ...around,
    suggestions: suggestions.map(({ query }) => ({ query, href: addressWith(state, { q: query }) })),
    chips: around.chips.map((chip) => ({ ...chip, inFacets: inFacets.has(chip.href) })),
  })
}

/** Loads the page of the list, then its excerpts and, if its calls have scores, the counts of scores. */
async function loadList(
  context: PageContext,
  { page, pageSize, order }: ListState,
  filters: Filters,
): Promise<ListPage> {
  const question = questionOf('/v1/recordings', filters, [], { page, pageSize, order })
  const { items, total } = await context.api.read<{ items: RecordingJson[]; total: number }>(question)
  const ids = items.filter(({ status }) => status === 'DONE').map(({ id }) => id)
  const hasScores = Boolean(filters.scoreBelow ?? filters.scoreFrom) || items.some(({ score }) => score !== null)
  const [excerpts, scores] = await Promise.all([
    ids.length > 0 ? loadExcerpts(context, ids, filters.q) : [],
    hasScores && !isRefresh(context.ctx) ? countScores(context, filters) : new Map<Band, number>(),
  ])
  return { items, total, excerpts: new Map(excerpts.map((excerpt) => [excerpt.id, excerpt])), scores }
}

async function loadExcerpts({ api }: PageContext, ids: string[], q: string | undefined): Promise<ExcerptJson[]> {
  const query = new URLSearchParams({ ids: ids.join(), ...(q && { q }) }).toString()
  return (await api.read<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items
}

/** Loads similar queries; the page works without them. */
async function loadSuggestions({ api }: PageContext, q: string): Promise<SuggestionJson[]> {
  const question = `/v1/search/suggestions?${new URLSearchParams({ q }).toString()}`
  const answer = api.read<{ items: SuggestionJson[] }>(question).catch(() => ({ items: [] }))
  return (await answer).items
}

type Counts = Record<FacetName, FacetsJson>

/** Loads the counts of each facet, those of `free` without the facet's own filter. Identical requests are sent once. */
async function loadCounts({ api }: PageContext, filters: Filters, free: readonly FacetName[]): Promise<Counts> {
  const entries = FACETS.map(async (name) => {
    const question = questionOf('/v1/recordings/facets', filters, free.includes(name) ? [name] : [])
    return [name, await api.read<FacetsJson>(question)] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Counts
}

async function countCalls({ api }: PageContext, filters: Filters): Promise<number> {
  return (await api.read<FacetsJson>(questionOf('/v1/recordings/facets', filters))).total
}

/** Counts the calls in each band of scores, whatever the filters by score. */
async function countScores(context: PageContext, filters: Filters): Promise<Map<Band, number>> {
  const counts = BANDS.map(async (band) => {
    const { scoreFrom, scoreBelow } = band
    return [band, await countCalls(context, { ...filters, scoreFrom, scoreBelow })] as const
  })
  return new Map(await Promise.all(counts))
}

/** The part that refreshes itself: the line above the table, the table, the links below. */
function listData(
  context: PageContext,
  state: ListState,
  person: Person,
  page: ListPage,
  counts: Counts,
  catalog: CatalogJson,
) {
  const { language } = context
  const { items, total, excerpts } = page
  const isLive = items.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  const months = monthsOf(catalog, state, language)
  const rows = items.map((recording) => recordingRow(recording, excerpts.get(recording.id), state.filters.q, language))
  return {
    rows,
    total,
    state,
    self: addressOf(state),
    months,
    every: isLive || total === 0 ? '3s' : '20s',
    hasScores: rows.some(({ score }) => score !== null),
    hasMockScores: rows.some(({ mock }) => mock !== null),
    isFirst: total === 0 && Object.keys(state.filters).length === 0,
    apiAddress: context.ctx.protocol === 'http' ? `http://${context.ctx.hostname}:3001` : null,
    clear: addressOf({ ...state, filters: {}, page: 1 }),
    orders: ordersOf(state.filters).map((order) => ({ order, href: addressOf({ ...state, order, page: 1 }) })),
    pageSizes: PAGE_SIZES.map((pageSize) => ({ pageSize, href: addressOf({ ...state, pageSize, page: 1 }) })),
    paging: pagingOf(state.page, state.pageSize, total, (page) => addressOf({ ...state, page })),
    mayManage: person.rights.manageRecordings === true,
    mayExport: person.rights.export === true,
    managers: counts.manager.managers.map(({ name }) => name),
    exportable: counts.status.status.DONE ?? 0,
    formats: ['table', 'csv', 'jsonl', 'zip'],
  }
}

/** The chips, and the forms of the search and the filters. */
function aroundList({ language }: PageContext, state: ListState, counts: Counts, period: string | null) {
  const { code, format, words } = language
  const errors = findErrors(state.filters, language)
  const { departments } = counts.department
  const valid = { ...state, filters: validFilters(state.filters, language) }
  return {
    days: daysOf(state, language),
    chips: chipsOf(valid, { code, format, departments, period }),
    form: { values: Fields.of(state.filters), errors, error: null },
    fields: FORM.map((name) => {
      const { type, ...attrs } = FILTERS[name].field!
      return { name, label: words.recordings.filters[name].label, type, attrs }
    }),
    /** The parameters of the address that a form keeps besides its own fields. */
    kept: (names: string[]) =>
      [...new URL(addressOf({ ...state, page: 1 }), 'http://x').searchParams].filter(([name]) => !names.includes(name)),
  }
}

const FORM = (Object.keys(FILTERS) as FilterName[]).filter((name) => FILTERS[name].field)
