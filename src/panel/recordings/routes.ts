import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { CatalogJson, FacetsJson } from '../../calls/list/overview-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { Fields } from '../frame/fields.ts'
import { titleOf } from '../frame/page-title.ts'
import { pagingOf } from '../frame/paging.ts'
import { BANDS, FACETS, facetsOf, monthsOf, SCORES, type Band, type FacetName, type Rare } from './facets.ts'
import {
  addressOf,
  errorsOf,
  ordersOf,
  PAGE_SIZES,
  questionOf,
  readState,
  soundFilters,
  withFilters,
  type Filters,
  type ListState,
} from './filters.ts'
import { daysOf } from './days.ts'
import { chipsOf } from './chips.ts'
import { recordingRow } from './view.ts'
import {
  isRefresh,
  renderPage,
  renderParts,
  seeOther,
  type Person,
  type Route,
  type PageContext,
} from '../frame/context.ts'

export const recordingsRoutes: Route[] = [
  { method: 'get', path: '/', handle: async ({ ctx }) => seeOther(ctx, '/recordings') },
  { method: 'get', path: '/recordings', handle: showList },
]

/** A page of GET /v1/recordings, and what was said in its calls. */
interface Page {
  items: RecordingJson[]
  total: number
  excerpts: Map<string, ExcerptJson>
  scores: Map<Band, number>
}

async function showList(context: PageContext): Promise<void> {
  const state = readState(context.ctx.query)
  // Asked for with the filters that hold; what is wrong with the others is said once the person's language is known.
  const filters = soundFilters(state.filters, context.language)
  if (isRefresh(context.ctx)) {
    const { person } = context
    const [page, counts, catalog] = await Promise.all([
      readPage(context, state, filters),
      readCounts(context, filters, ['status']),
      readCatalog(context, filters),
    ])
    const { status } = facetsOf(state, counts, { scores: new Map(), noSpeech: 0 }, context.language)
    const data = { ...listData(context, state, person, page, counts, catalog), group: status, refresh: true }
    return renderParts(context, ['recordings/_list', 'recordings/_status', '_counts'], data)
  }
  const { person } = context
  const [page, counts, catalog, noSpeech] = await Promise.all([
    readPage(context, state, filters),
    readCounts(context, filters, FACETS),
    readCatalog(context, filters),
    countUnheard(context, filters),
  ])
  const around = aroundList(context, state, counts, { scores: page.scores, noSpeech }, catalog)
  const { title: heading } = context.language.words.recordings
  await renderPage(context, 'recordings/index', {
    title: titleOf(heading, [filters.q, ...around.chips.map(({ text }) => text)]),
    heading,
    scripts: ['recordings.js'],
    ...listData(context, state, person, page, counts, catalog),
    ...around,
  })
}

/** The page of the list, then what its texts show, and where its calls are scored, how many have which score. */
async function readPage(context: PageContext, { page, pageSize, order }: ListState, filters: Filters): Promise<Page> {
  const question = questionOf('/v1/recordings', filters, [], { page, pageSize, order })
  const { items, total } = await context.api.read<{ items: RecordingJson[]; total: number }>(question)
  const ids = items.filter(({ status }) => status === 'DONE').map(({ id }) => id)
  const isScored =
    filters.scoreBelow !== undefined || filters.scoreFrom !== undefined || items.some(({ score }) => score !== null)
  const [excerpts, scores] = await Promise.all([
    ids.length > 0 ? readExcerpts(context, ids, filters.q) : [],
    isScored && !isRefresh(context.ctx) ? readScores(context, filters) : [],
  ])
  return { items, total, excerpts: new Map(excerpts.map((excerpt) => [excerpt.id, excerpt])), scores: new Map(scores) }
}

async function readExcerpts({ api }: PageContext, ids: string[], q: string | undefined): Promise<ExcerptJson[]> {
  const query = new URLSearchParams({ ids: ids.join(), ...(q && { q }) }).toString()
  return (await api.read<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items
}

type Counts = Record<FacetName, FacetsJson>

/** The counts of each facet: those of `free` without the facet's own filter. Most of these questions are one and the same. */
async function readCounts({ api }: PageContext, filters: Filters, free: readonly FacetName[]): Promise<Counts> {
  const entries = FACETS.map(async (name) => {
    const question = questionOf('/v1/recordings/facets', filters, free.includes(name) ? [name] : [])
    return [name, await api.read<FacetsJson>(question)] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Counts
}

/** The months, without regard to the dates that the list is narrowed to. */
function readCatalog({ api }: PageContext, filters: Filters): Promise<CatalogJson> {
  return api.read<CatalogJson>(questionOf('/v1/recordings/catalog', filters, ['dateFrom', 'dateTo']))
}

async function readScores({ api }: PageContext, filters: Filters): Promise<[band: Band, calls: number][]> {
  const counts = BANDS.map(async (band) => {
    const { scoreFrom, scoreBelow } = SCORES[band]
    const bounds = { ...(scoreFrom && { scoreFrom }), ...(scoreBelow && { scoreBelow }) }
    const question = questionOf('/v1/recordings/facets', filters, ['scoreFrom', 'scoreBelow'], bounds)
    return [band, (await api.read<FacetsJson>(question)).total] as [Band, number]
  })
  return Promise.all(counts)
}

async function countUnheard({ api }: PageContext, filters: Filters): Promise<number> {
  const question = questionOf('/v1/recordings/facets', { ...filters, noSpeech: 'true' })
  return (await api.read<FacetsJson>(question)).total
}

/** The part that refreshes itself: the line above the table, the table, the links below. */
function listData(
  context: PageContext,
  state: ListState,
  person: Person,
  page: Page,
  counts: Counts,
  catalog: CatalogJson,
) {
  const { language } = context
  const { items, total, excerpts } = page
  const isLive = items.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  const rows = items.map((recording) => recordingRow(recording, excerpts.get(recording.id), state.filters.q, language))
  return {
    rows,
    total,
    state,
    self: addressOf(state),
    soundSeconds: monthsOf(catalog, state, language).durationSeconds,
    every: isLive || total === 0 ? '3s' : '20s',
    hasScores: rows.some(({ score }) => score !== null),
    hasMockScores: rows.some(({ mock }) => mock !== null),
    isFiltered: Object.keys(state.filters).length > 0,
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

/** What stands around the list: facets, months, filters, the search. */
function aroundList(context: PageContext, state: ListState, counts: Counts, rare: Rare, catalog: CatalogJson) {
  const { language } = context
  const facets = facetsOf(state, counts, rare, language)
  const months = monthsOf(catalog, state, language)
  const errors = errorsOf(state.filters, language)
  const { departments } = counts.department
  const managers = counts.manager.managers.map(({ name }) => name)
  const sound = Object.fromEntries(Object.entries(state.filters).filter(([name]) => !(name in errors)))
  const chips = chipsOf({ ...state, filters: sound }, language, { departments, managers, period: months.period })
  return {
    facets,
    days: daysOf(state, context.language),
    months,
    chips,
    form: { values: Fields.of(state.filters), errors, error: null },
    /** What a form keeps of the address besides its own fields. */
    kept: (names: string[]) =>
      [...new URL(addressOf(withFilters(state, {})), 'http://x').searchParams].filter(
        ([name]) => !names.includes(name),
      ),
  }
}
