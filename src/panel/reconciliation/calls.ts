import type { CrmCallJson } from '../../crm/reconciliation/calls-schema.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { COLUMNS, readAnswer, readAsked } from './asked.ts'

export const reconciledCallRoutes: Route[] = [{ method: 'get', path: '/reconciliation/calls', handle: show }]

const FIELDS = ['from', 'to', 'department', 'manager', 'state'] as const
/** What stands between state and reason in the address of those that were left out for one reason. */
const BECAUSE = 'skipped-'

interface CallsPage {
  items: CrmCallJson[]
  total: number
  pageSize: number
}

async function show(context: PageContext): Promise<void> {
  const asked = readAsked(context, FIELDS)
  const page = pageOf(context.ctx.query.page)
  const { state = '', ...others } = asked.filled(...FIELDS)
  const which: [string, string] = state.startsWith(BECAUSE) ? ['reason', state.slice(BECAUSE.length)] : ['state', state]
  const query = new URLSearchParams({ ...others, page: String(page) })
  if (state !== '') query.set(...which)
  const [answer, facets] = await Promise.all([
    readAnswer<CallsPage>(context, `/v1/crm/reconciliation/calls?${query.toString()}`),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
  ])
  const { ctx, language } = context
  const t = language.words.reconciliation
  const found = answer instanceof ApiError ? undefined : answer
  if (!found) ctx.status = 400
  const href = (changed: Record<string, string>) =>
    `/reconciliation/calls?${new URLSearchParams({ ...asked.filled(...FIELDS), ...changed }).toString()}`
  const { manager, ...rest } = asked.filled(...FIELDS)
  await renderPage(context, 'reconciliation/calls', {
    title: titleOf(t.calls.title, [
      manager && (unquoted(manager) || t.nobody),
      daysInTitle(asked.raw('from'), asked.raw('to'), language),
    ]),
    form: answer instanceof ApiError ? formWithErrors(answer, asked, [...FIELDS], language) : freshForm(asked),
    back: `/reconciliation?${new URLSearchParams(asked.filled('from', 'to', 'department')).toString()}`,
    departments: facets.departments,
    states: statesOf(language),
    manager: manager && {
      value: manager,
      text: unquoted(manager) || t.nobody,
      href: `/reconciliation/calls?${new URLSearchParams(rest).toString()}`,
    },
    total: found && t.calls.total(found.total, language.format.number(found.total)),
    rows: found?.items.map((call) => rowOf(call, language)),
    paging:
      found && found.total > 0 ? pagingOf(page, found.pageSize, found.total, (n) => href({ page: String(n) })) : null,
  })
}

const unquoted = (manager: string): string => manager.replace(/^"(.*)"$/, '$1')

/** What may have become of a call, and every reason for which it was left out. */
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
