import { formatPathWithQuery } from '../frame/fields.ts'
import type { CrmCallJson } from '../../crm/reconciliation/schema.ts'
import type { ResultPage } from '../../platform/db/page.ts'
import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { renderPage, type PageContext, type PanelRoute } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { formatTitlePeriod, formatPageTitle } from '../frame/page-title.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { unquoteManagerName } from '../frame/manager-names.ts'
import { RECONCILIATION_COLUMNS, parseReconciliationQuery, fetchWithFormErrors } from './query.ts'

export const reconciledCallRoutes: PanelRoute[] = [
  { method: 'get', path: '/reconciliation/calls', handle: showReconciledCalls },
]

const QUERY_FIELDS = ['from', 'to', 'department', 'manager', 'state'] as const
/** Marks a reason of skipped calls in the query parameter `state`. */
const REASON_PREFIX = 'skipped-'
const CALLS_PATH = '/reconciliation/calls'

async function showReconciledCalls(context: PageContext): Promise<void> {
  const query = parseReconciliationQuery(context, QUERY_FIELDS)
  const page = parsePageNumber(context.ctx.query.page)
  const filters = query.collectFilled(...QUERY_FIELDS)
  const { state = '', ...otherFilters } = filters
  const stateFilter: Record<string, string> = state.startsWith(REASON_PREFIX)
    ? { reason: state.slice(REASON_PREFIX.length) }
    : state
      ? { state }
      : {}
  const href = formatPathWithQuery('/v1/crm/reconciliation/calls', {
    ...otherFilters,
    page: String(page),
    ...stateFilter,
  })
  const [facets, { answer, form }] = await Promise.all([
    context.api.fetch<RecordingFacetsJson>('/v1/recordings/facets'),
    fetchWithFormErrors<ResultPage<CrmCallJson>>(context, href, query, QUERY_FIELDS),
  ])
  const { language } = context
  const t = language.words.reconciliation
  const { manager, ...filtersWithoutManager } = filters
  const shownManager = manager && (unquoteManagerName(manager) || t.nobody)
  await renderPage(context, 'reconciliation/calls', {
    title: formatPageTitle(t.calls.title, [
      shownManager,
      formatTitlePeriod(query.raw('from'), query.raw('to'), language),
    ]),
    form,
    back: formatPathWithQuery('/reconciliation', query.collectFilled('from', 'to', 'department')),
    departments: facets.departments,
    states: buildStateOptions(language),
    manager: manager && {
      value: manager,
      text: shownManager,
      href: formatPathWithQuery(CALLS_PATH, filtersWithoutManager),
    },
    total: answer && t.calls.total(answer.total, language.format.number(answer.total)),
    rows: answer?.items.map((call) => buildCallRow(call, language)),
    paging: answer?.total
      ? buildPaging(page, answer.pageSize, answer.total, (n) =>
          formatPathWithQuery(CALLS_PATH, { ...filters, page: String(n) }),
        )
      : null,
  })
}

/** Builds the options of the state filter: the states, then the reasons of skipped calls. */
function buildStateOptions({ words: { reconciliation: t } }: Language) {
  const states = RECONCILIATION_COLUMNS.filter((name) => name !== 'inCrm').map((value) => ({
    value,
    text: t.columns[value],
  }))
  const reasons = Object.entries(t.reasons).map(([reason, text]) => ({
    value: REASON_PREFIX + reason,
    text: t.calls.because(text),
  }))
  return [{ value: '', text: t.calls.any }, ...states, ...reasons]
}

const BADGE_KINDS: Partial<Record<CrmCallJson['state'], string>> = {
  done: 'done',
  inWork: 'processing',
  failed: 'failed',
  loadFailed: 'failed',
}

function buildCallRow(call: CrmCallJson, language: Language) {
  const { words, format } = language
  const t = words.reconciliation
  return {
    id: call.id,
    iso: call.startedAt,
    time: format.shortTime(call.startedAt),
    href: call.recordingId && `/recordings/${call.recordingId}`,
    manager: call.manager ?? t.nobody,
    phone: format.phone(call.phoneNumber) ?? '—',
    length: format.length(call.durationSeconds),
    badge: { kind: BADGE_KINDS[call.state] ?? '', text: t.calls.states[call.state] },
    why: call.reason ? (t.reasons[call.reason] ?? call.reason) : call.error,
  }
}
