import type { TranscriptExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingCatalogJson, RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { SearchSuggestionJson } from '../../calls/list/suggestions-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { MAX_BULK_ACTION_CALLS } from '../../work/bulk-actions/values.ts'
import { FormValues } from '../frame/fields.ts'
import type { ScoreBand } from '../frame/score-bands.ts'
import type { Language } from '../frame/i18n.ts'
import { fetchRuleName } from '../frame/rule-names.ts'
import { formatPageTitle } from '../frame/page-title.ts'
import { buildPaging } from '../frame/paging.ts'
import { FACET_NAMES, buildCallFacets, type FacetName } from './facets.ts'
import {
  formatCallListHref,
  formatCallListHrefWithFilterChanges,
  buildCallFilterChips,
  CALL_FILTERS,
  validateCallFilters,
  buildCallOrderParameters,
  CALL_LIST_PAGE_SIZES,
  formatFilteredApiUrl,
  parseCallListState,
  selectValidCallFilters,
  type CallFilterName,
  type CallFilterValues,
  type CallListState,
} from './filters.ts'
import { buildScoreBandFilters } from './filters/ranges.ts'
import { buildDayFilterLinks, buildMonthStrip } from './months.ts'
import { buildOpenView } from '../views/view.ts'
import { buildCallListHeaders, buildCallOrderMenu } from './sorting.ts'
import { buildCallListRow } from './view.ts'
import {
  isPartialRefresh,
  renderPage,
  renderPageParts,
  type LoggedInPerson,
  type PageContext,
} from '../frame/context.ts'
import type { Page } from '../frame/page.ts'
import { recordingActionRoutes } from './actions.ts'
import { fetchRecentBulkActions } from './bulk.ts'
import { recordingListWords } from './words.ts'

export const recordingsPage: Page<'recordings', typeof recordingListWords> = {
  name: 'recordings',
  words: recordingListWords,
  routes: [{ method: 'get', path: '/recordings', handle: showList }, ...recordingActionRoutes],
  menu: {
    href: '/recordings',
    title: recordingListWords.title,
    group: 'work',
    badge: {
      read: async ({ api }) => ({ count: (await api.fetch<RecordingFacetsJson>('/v1/recordings/facets')).total }),
    },
  },
  styles: ['recordings', 'facets'],
  scripts: ['recordings'],
}

/** One page of the list of calls, with excerpts by call id. `scores` counts calls per score band; empty without scores. */
interface ListPage {
  items: RecordingJson[]
  total: number
  excerpts: Map<string, TranscriptExcerptJson>
  scores: Map<ScoreBand, number>
}

async function showList(context: PageContext): Promise<void> {
  const state = parseCallListState(context.ctx.query)
  const filters = selectValidCallFilters(state.filters, context.language)
  const isPartial = isPartialRefresh(context.ctx)
  const { person } = context
  const bands = context.panel.config.SCORE_BANDS
  const [page, counts, catalog, noSpeech, bulkActions] = await Promise.all([
    fetchListPage(context, state, filters),
    fetchCounts(context, filters, isPartial ? ['status'] : FACET_NAMES),
    context.api.fetch<RecordingCatalogJson>(
      formatFilteredApiUrl('/v1/recordings/catalog', filters, ['period', 'dateFrom', 'dateTo']),
    ),
    isPartial ? 0 : countCalls(context, { ...filters, noSpeech: 'true' }),
    fetchRecentBulkActions(context),
  ])
  const isChanging = bulkActions.some(({ isFinished }) => !isFinished)
  const list = {
    ...buildListData(context, state, person, page, counts, catalog),
    bulkActions,
    ...(isChanging && { every: '3s' }),
  }
  const facets = buildCallFacets(state, counts, { scores: page.scores, bands, noSpeech }, context.language)
  if (isPartial) {
    const data = { ...list, group: facets.status, refresh: true }
    return renderPageParts(context, ['recordings/_list', 'recordings/_status', '_counts'], data)
  }
  const ruleName = filters.rule && (await fetchRuleName(context, filters.rule.split(':')[0]!))
  const controls = buildListControls(context, state, counts, filters.period ? null : list.months.period, ruleName)
  const suggestions = page.total === 0 && filters.q ? await fetchSuggestions(context, filters.q) : []
  // Wide pages hide a chip if the facets or the months show the same selection.
  const links = [facets.status, ...facets.others].flatMap(({ choices, more }) => [...choices, ...more])
  const openView = await buildOpenView(context, state, list.self)
  const current = [...links, ...list.months.bars, ...list.months.years].filter((link) => link.current)
  const inFacets = new Set(current.map(({ href }) => href))
  const { title: heading } = context.language.words.recordings
  await renderPage(context, 'recordings/index', {
    title: formatPageTitle(heading, [openView?.name, filters.q, ...controls.chips.map(({ text }) => text)]),
    heading,
    scripts: ['recordings.js'],
    facets,
    openView,
    ...list,
    ...controls,
    suggestions: suggestions.map(({ query }) => ({
      query,
      href: formatCallListHrefWithFilterChanges(state, { q: query }),
    })),
    chips: controls.chips.map((chip) => ({ ...chip, inFacets: inFacets.has(chip.href) })),
  })
}

/**
 * Fetches a page of the list, then the excerpts of its calls. Counts score bands if a call of the page has a score or a score filter
 * is set.
 */
async function fetchListPage(
  context: PageContext,
  { page, pageSize, ...order }: CallListState,
  filters: CallFilterValues,
): Promise<ListPage> {
  const apiUrl = formatFilteredApiUrl('/v1/recordings', filters, [], {
    page,
    pageSize,
    ...buildCallOrderParameters(order),
  })
  const { items, total } = await context.api.fetch<{ items: RecordingJson[]; total: number }>(apiUrl)
  const ids = items.filter(({ status }) => status === 'DONE').map(({ id }) => id)
  const hasScores = Boolean(filters.scoreBelow ?? filters.scoreFrom) || items.some(({ score }) => score !== null)
  const [excerpts, scores] = await Promise.all([
    ids.length > 0 ? fetchExcerpts(context, ids, filters.q) : [],
    hasScores && !isPartialRefresh(context.ctx) ? countScores(context, filters) : new Map<ScoreBand, number>(),
  ])
  return { items, total, excerpts: new Map(excerpts.map((excerpt) => [excerpt.id, excerpt])), scores }
}

async function fetchExcerpts(
  { api }: PageContext,
  ids: string[],
  q: string | undefined,
): Promise<TranscriptExcerptJson[]> {
  const query = new URLSearchParams({ ids: ids.join(), ...(q && { q }) }).toString()
  return (await api.fetch<{ items: TranscriptExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items
}

/** Fetches similar search queries. If the request fails, the page shows none. */
async function fetchSuggestions({ api }: PageContext, q: string): Promise<SearchSuggestionJson[]> {
  const apiUrl = `/v1/search/suggestions?${new URLSearchParams({ q }).toString()}`
  const response = api.fetch<{ items: SearchSuggestionJson[] }>(apiUrl).catch(() => ({ items: [] }))
  return (await response).items
}

type Counts = Record<FacetName, RecordingFacetsJson>

/**
 * Fetches the counts of each facet. @param ownFilterIgnored facets whose counts ignore their own filter, so that alternatives are
 * counted
 */
async function fetchCounts(
  { api }: PageContext,
  filters: CallFilterValues,
  ownFilterIgnored: readonly FacetName[],
): Promise<Counts> {
  const entries = FACET_NAMES.map(async (name) => {
    const apiUrl = formatFilteredApiUrl('/v1/recordings/facets', filters, ownFilterIgnored.includes(name) ? [name] : [])
    return [name, await api.fetch<RecordingFacetsJson>(apiUrl)] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Counts
}

async function countCalls({ api }: PageContext, filters: CallFilterValues): Promise<number> {
  return (await api.fetch<RecordingFacetsJson>(formatFilteredApiUrl('/v1/recordings/facets', filters))).total
}

/** Counts the calls per score band, ignoring the score filters. */
async function countScores(context: PageContext, filters: CallFilterValues): Promise<Map<ScoreBand, number>> {
  const counts = buildScoreBandFilters(context.panel.config.SCORE_BANDS).map(
    async ({ band, scoreFrom, scoreBelow }) => {
      return [band, await countCalls(context, { ...filters, scoreFrom, scoreBelow })] as const
    },
  )
  return new Map(await Promise.all(counts))
}

/** Builds the data of the list: rows, sorting, paging, months and the allowed actions. */
function buildListData(
  context: PageContext,
  state: CallListState,
  person: LoggedInPerson,
  page: ListPage,
  counts: Counts,
  catalog: RecordingCatalogJson,
) {
  const { language, panel } = context
  const { items, total, excerpts } = page
  const isLive = items.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  const months = buildMonthStrip(catalog, state, language)
  const rows = items.map((recording) =>
    buildCallListRow(recording, excerpts.get(recording.id), state.filters.q, language, panel.config.SCORE_BANDS),
  )
  const hasScores = rows.some(({ score }) => score !== null)
  return {
    rows,
    total,
    state,
    self: formatCallListHref(state),
    months,
    every: isLive || total === 0 ? '3s' : '20s',
    hasScores,
    hasMockScores: rows.some(({ mock }) => mock !== null),
    isFirst: total === 0 && Object.keys(state.filters).length === 0,
    clear: formatCallListHref({ ...state, filters: {}, page: 1 }),
    headers: buildCallListHeaders(state, language),
    orders: buildCallOrderMenu(state, hasScores, language),
    pageSizes: CALL_LIST_PAGE_SIZES.map((pageSize) => ({
      pageSize,
      href: formatCallListHref({ ...state, pageSize, page: 1 }),
    })),
    paging: buildPaging(state.page, state.pageSize, total, (page) => formatCallListHref({ ...state, page })),
    whole: buildWholeSelection(state, total, rows.length, counts, language),
    mayManage: person.rights.manageRecordings === true,
    mayExport: person.rights.export === true,
    mayRecheck: person.role !== 'manager' && person.rights.editRules === true,
    managers: counts.manager.managers.map(({ name }) => name),
    exportable: counts.status.status.DONE ?? 0,
    formats: ['table', 'csv', 'jsonl', 'zip'],
  }
}

/**
 * Offers to select the calls of the whole list, at most MAX_BULK_ACTION_CALLS, if there are more than on the page. `until`
 * excludes calls that arrive later.
 */
function buildWholeSelection(state: CallListState, total: number, shown: number, counts: Counts, language: Language) {
  if (total <= shown) return null
  const { whole } = language.words.recordings
  const chosen = state.filters.status?.split(',')
  const statuses = Object.entries(counts.status.status).filter(([name]) => !chosen || chosen.includes(name))
  const selected = Math.min(total, MAX_BULK_ACTION_CALLS)
  const text = (total > selected ? whole.selectFirst : whole.select)(language.format.number(selected))
  return { until: new Date().toISOString(), total: selected, statuses: Object.fromEntries(statuses), text }
}

function buildListControls(
  { language, panel }: PageContext,
  state: CallListState,
  counts: Counts,
  period: string | null,
  ruleName: string | undefined,
) {
  const { code, format, words } = language
  const errors = validateCallFilters(state.filters, language)
  const { departments } = counts.department
  const validState = { ...state, filters: selectValidCallFilters(state.filters, language) }
  return {
    days: buildDayFilterLinks(validState, language),
    chips: buildCallFilterChips(validState, {
      code,
      format,
      departments,
      period,
      ruleName,
      bands: panel.config.SCORE_BANDS,
    }),
    form: { values: FormValues.of(state.filters), errors, error: null },
    fields: FORM_FILTERS.map((name) => {
      const { type, ...attrs } = CALL_FILTERS[name].field!
      return { name, label: words.recordings.filters[name].label, type, attrs }
    }),
    /** Returns the parameters that a form keeps as hidden fields. @param names fields that the form already has */
    kept: (names: string[]) =>
      [...new URL(formatCallListHref({ ...state, page: 1 }), 'http://x').searchParams].filter(
        ([name]) => !names.includes(name),
      ),
  }
}

const FORM_FILTERS = (Object.keys(CALL_FILTERS) as CallFilterName[]).filter((name) => CALL_FILTERS[name].field)
