import { formatAddress } from '../frame/fields.ts'
import type { CrmCallJson } from '../../crm/reconciliation/schema.ts'
import type { Page } from '../../platform/db/page.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { formatTitleDays, formatTitle } from '../frame/page-title.ts'
import { parsePage, buildPaging } from '../frame/paging.ts'
import { unquoteName } from '../analytics/query.ts'
import { RECONCILIATION_COLUMNS, parseReconciliationQuery, fetchOrFormErrors } from './query.ts'

export const reconciledCallRoutes: Route[] = [
  { method: 'get', path: '/reconciliation/calls', handle: showReconciledCalls },
]

const QUERY_FIELDS = ['from', 'to', 'department', 'manager', 'state'] as const
/** Marks a reason of skipped calls in the query parameter `state`. */
const REASON_PREFIX = 'skipped-'
const CALLS_PATH = '/reconciliation/calls'

async function showReconciledCalls(context: PageContext): Promise<void> {
  const query = parseReconciliationQuery(context, QUERY_FIELDS)
  const page = parsePage(context.ctx.query.page)
  const filters = query.collectFilled(...QUERY_FIELDS)
  const { state = '', ...otherFilters } = filters
  const stateFilter: Record<string, string> = state.startsWith(REASON_PREFIX)
    ? { reason: state.slice(REASON_PREFIX.length) }
    : state
      ? { state }
      : {}
  const href = formatAddress('/v1/crm/reconciliation/calls', { ...otherFilters, page: String(page), ...stateFilter })
  const [facets, { answer, form }] = await Promise.all([
    context.api.fetch<FacetsJson>('/v1/recordings/facets'),
    fetchOrFormErrors<Page<CrmCallJson>>(context, href, query, QUERY_FIELDS),
  ])
  const { language } = context
  const t = language.words.reconciliation
  const { manager, ...filtersWithoutManager } = filters
  const shownManager = manager && (unquoteName(manager) || t.nobody)
  await renderPage(context, 'reconciliation/calls', {
    title: formatTitle(t.calls.title, [shownManager, formatTitleDays(query.raw('from'), query.raw('to'), language)]),
    form,
    back: formatAddress('/reconciliation', query.collectFilled('from', 'to', 'department')),
    departments: facets.departments,
    states: buildStateOptions(language),
    manager: manager && { value: manager, text: shownManager, href: formatAddress(CALLS_PATH, filtersWithoutManager) },
    total: answer && t.calls.total(answer.total, language.format.number(answer.total)),
    rows: answer?.items.map((call) => buildCallRow(call, language)),
    paging: answer?.total
      ? buildPaging(page, answer.pageSize, answer.total, (n) =>
          formatAddress(CALLS_PATH, { ...filters, page: String(n) }),
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
