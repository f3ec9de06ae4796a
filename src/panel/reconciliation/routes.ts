import type { ControlJson, Counts, DayCounts } from '../../crm/reconciliation/schema.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { barOf } from '../analytics/bar.ts'
import { FIELDS as OF_REPORTS, parseQuery as parseBar } from '../analytics/query.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner } from '../frame/page.ts'
import { COLUMNS, readAnswer, readAsked } from './asked.ts'
import { reconciledCallRoutes } from './calls.ts'

export const reconciliationRoutes: Route[] = [
  { method: 'get', path: '/reconciliation', handle: show },
  ...reconciledCallRoutes,
]

interface Reconciled {
  days: DayCounts[]
  totals: Counts
  unreadDays: string[]
  controls: ControlJson[]
}

const FIELDS = ['from', 'to', 'department'] as const

async function show(context: PageContext): Promise<void> {
  const asked = readAsked(context, FIELDS)
  const query = new URLSearchParams(asked.filled(...FIELDS)).toString()
  const [answer, facets] = await Promise.all([
    readAnswer<Reconciled>(context, `/v1/crm/reconciliation?${query}`),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
  ])
  const { language } = context
  const { words, format } = language
  const found = answer instanceof ApiError ? undefined : answer
  if (!found) context.ctx.status = 400
  const all = linkTo(asked)
  await renderPage(context, 'reconciliation/index', {
    title: words.reconciliation.title,
    form: answer instanceof ApiError ? formWithErrors(answer, asked, [...FIELDS], language) : freshForm(asked),
    ...barOf(
      'reconciliation',
      Fields.of({ ...parseBar(context).filled(...OF_REPORTS), ...asked.filled(...FIELDS) }),
      facets,
      language,
    ),
    columns: COLUMNS,
    rows: found?.days.map((day) => ({
      iso: day.day,
      day: format.shortDay(day.day),
      manager: day.manager ?? words.reconciliation.nobody,
      values: valuesOf(day, linkTo(asked, { from: day.day, to: day.day, manager: `"${day.manager ?? ''}"` }), language),
    })),
    sum: found && valuesOf(found.totals, all, language),
    reasons: found && reasonsOf(found.totals, all, language),
    unread: found && runsOf(found.unreadDays, language),
    loadHref: isOwner(context.person) ? '/automation/history' : null,
    controls: found?.controls.map((control) => controlRow(control, language)),
    advice: (['fewer', 'more'] as const)
      .filter((alarm) => found?.controls.some((control) => control.alarm === alarm))
      .map((alarm) => words.reconciliation.control.advice[alarm]),
  })
}

/** Groups days into runs of consecutive days, newest first. */
function runsOf(days: string[], { format }: Language): string[] {
  const runs: { first: string; last: string }[] = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run && addDays(run.first, -1) === day) run.first = day
    else runs.push({ first: day, last: day })
  }
  return runs.map(({ first, last }) =>
    first === last ? format.shortDay(first) : `${format.shortDay(first)} – ${format.shortDay(last)}`,
  )
}

/** Where the calls behind a number are, by what became of them. */
const linkTo =
  (asked: Fields, narrowed: Record<string, string> = {}) =>
  (state: string): string =>
    `/reconciliation/calls?${new URLSearchParams({ ...asked.filled(...FIELDS), ...narrowed, ...(state !== 'inCrm' && { state }) }).toString()}`

const countOf = (counts: Counts, name: (typeof COLUMNS)[number]): number =>
  name === 'skipped' ? Object.values(counts.skipped).reduce((all, n) => all + n, 0) : counts[name]

const valuesOf = (counts: Counts, link: (state: string) => string, { format }: Language) =>
  COLUMNS.map((name) => {
    const count = countOf(counts, name)
    return { text: format.number(count), href: count > 0 ? link(name) : null }
  })

const reasonsOf = ({ skipped }: Counts, link: (state: string) => string, { words, format }: Language) =>
  Object.entries(skipped)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, n]) => ({
      name: words.reconciliation.reasons[reason] ?? reason,
      value: format.number(n),
      href: link(`skipped-${reason}`),
    }))

function controlRow({ day, portalCalls, ownCalls, checkedAt, alarm }: ControlJson, { words, format }: Language) {
  return {
    iso: day,
    day: format.shortDay(day),
    portal: format.number(portalCalls),
    own: format.number(ownCalls),
    checked: { iso: checkedAt, text: format.shortTime(checkedAt) },
    alarm: alarm && words.reconciliation.control.alarms[alarm],
  }
}
