import { addressOf } from '../frame/fields.ts'
import type { CrmCallJson } from '../../crm/reconciliation/schema.ts'
import type { Page } from '../../platform/db/page.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { unquoteName } from '../analytics/query.ts'
import { COLUMNS, parseQuery, readAnswer } from './query.ts'

export const reconciledCallRoutes: Route[] = [{ method: 'get', path: '/reconciliation/calls', handle: show }]

const FIELDS = ['from', 'to', 'department', 'manager', 'state'] as const
/** Prefix of a reason in the parameter `state` of the page. */
const BECAUSE = 'skipped-'
const PATH = '/reconciliation/calls'

async function show(context: PageContext): Promise<void> {
  const query = parseQuery(context, FIELDS)
  const page = pageOf(context.ctx.query.page)
  const filled = query.filled(...FIELDS)
  const { state = '', ...others } = filled
  const which: Record<string, string> = state.startsWith(BECAUSE)
    ? { reason: state.slice(BECAUSE.length) }
    : state
      ? { state }
      : {}
  const href = addressOf('/v1/crm/reconciliation/calls', { ...others, page: String(page), ...which })
  const [facets, { answer, form }] = await Promise.all([
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    readAnswer<Page<CrmCallJson>>(context, href, query, FIELDS),
  ])
  const { language } = context
  const t = language.words.reconciliation
  const { manager, ...rest } = filled
  const shownManager = manager && (unquoteName(manager) || t.nobody)
  await renderPage(context, 'reconciliation/calls', {
    title: titleOf(t.calls.title, [shownManager, daysInTitle(query.raw('from'), query.raw('to'), language)]),
    form,
    back: addressOf('/reconciliation', query.filled('from', 'to', 'department')),
    departments: facets.departments,
    states: statesOf(language),
    manager: manager && { value: manager, text: shownManager, href: addressOf(PATH, rest) },
    total: answer && t.calls.total(answer.total, language.format.number(answer.total)),
    rows: answer?.items.map((call) => rowOf(call, language)),
    paging: answer?.total
      ? pagingOf(page, answer.pageSize, answer.total, (n) => addressOf(PATH, { ...filled, page: String(n) }))
      : null,
  })
}

/** The states of a call, and the reasons for which calls are skipped. */
function statesOf({ words: { reconciliation: t } }: Language) {
  const states = COLUMNS.filter((name) => name !== 'inCrm').map((value) => ({ value, text: t.columns[value] }))
  const reasons = Object.entries(t.reasons).map(([reason, text]) => ({
    value: BECAUSE + reason,
    text: t.calls.because(text),
  }))
  return [{ value: '', text: t.calls.any }, ...states, ...reasons]
}

const BADGES: Partial<Record<CrmCallJson['state'], string>> = {
  done: 'done',
  inWork: 'processing',
  failed: 'failed',
  loadFailed: 'failed',
}

function rowOf(call: CrmCallJson, language: Language) {
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
    badge: { kind: BADGES[call.state] ?? '', text: t.calls.states[call.state] },
    why: call.reason ? (t.reasons[call.reason] ?? call.reason) : call.error,
  }
}
