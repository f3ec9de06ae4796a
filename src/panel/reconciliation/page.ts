import type { ControlJson, Counts, ReconciliationJson } from '../../crm/reconciliation/schema.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { barOf } from '../analytics/bar.ts'
import { FIELDS as REPORT_FIELDS, parseQuery as parseReportQuery } from '../analytics/query.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { reconciledCallRoutes } from './calls.ts'
import { COLUMNS, parseQuery, readAnswer } from './query.ts'
import { reconciliation } from './words.ts'

export const reconciliationPage: Page<'reconciliation', typeof reconciliation> = {
  name: 'reconciliation',
  words: reconciliation,
  routes: [{ method: 'get', path: '/reconciliation', handle: show }, ...reconciledCallRoutes],
}

const FIELDS = ['from', 'to', 'department'] as const

async function show(context: PageContext): Promise<void> {
  const query = parseQuery(context, FIELDS)
  const filled = query.filled(...FIELDS)
  const [facets, { answer, form }] = await Promise.all([
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    readAnswer<ReconciliationJson>(context, addressOf('/v1/crm/reconciliation', filled), query, FIELDS),
  ])
  const { language } = context
  const { words, format } = language
  const linkTo =
    (narrowed: Record<string, string> = {}) =>
    (state: string): string =>
      addressOf('/reconciliation/calls', { ...filled, ...narrowed, ...(state !== 'inCrm' && { state }) })
  await renderPage(context, 'reconciliation/index', {
    title: words.reconciliation.title,
    form,
    ...barOf(
      'reconciliation',
      Fields.of({ ...parseReportQuery(context).filled(...REPORT_FIELDS), ...filled }),
      facets,
      language,
    ),
    columns: COLUMNS,
    rows: answer?.days.map((day) => ({
      iso: day.day,
      day: format.shortDay(day.day),
      manager: day.manager ?? words.reconciliation.nobody,
      values: valuesOf(day, linkTo({ from: day.day, to: day.day, manager: `"${day.manager ?? ''}"` }), language),
    })),
    sum: answer && valuesOf(answer.totals, linkTo(), language),
    reasons: answer && reasonsOf(answer.totals, linkTo(), language),
    unread: answer && runsOf(answer.unreadDays, language),
    loadHref: isOwner(context.person) ? '/automation/history' : null,
    controls: answer?.controls.map((control) => controlRow(control, language)),
    advice: (['fewer', 'more'] as const)
      .filter((alarm) => answer?.controls.some((control) => control.alarm === alarm))
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
