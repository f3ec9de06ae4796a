import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { addressOf, type Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { FIELDS, managerOptions, parseQuery, readFunnels, unquoteName, type Option } from './query.ts'
import type { Tab } from './report.ts'
import { TABS } from './tabs.ts'

/** Periods that are one click away, in days up to today. */
const PERIODS = [7, 30, 90, 365]

/** The bar above the reports, and their tabs. `own` has the fields of this report alone. */
export function barOf(
  name: Tab['name'],
  shown: Fields,
  facets: FacetsJson,
  language: Language,
  own: Record<string, string> = {},
) {
  const { path, unused = [] } = TABS.find((tab) => tab.name === name)!
  const kept = shown.filled(...FIELDS)
  return {
    report: name,
    action: path,
    unasked: Object.entries(shown.filled(...unused)),
    departments: facets.departments,
    managers: unused.includes('manager') ? [] : managerOptions(facets, shown.raw('manager')),
    periods: unused.includes('from') ? [] : periodsOf(path, { ...kept, ...own }, language),
    tabs: TABS.map((tab) => ({
      text: language.words.analytics.reports[tab.name],
      href: addressOf(tab.path, kept),
      current: tab.name === name,
    })),
  }
}

function periodsOf(path: string, kept: Record<string, string>, { words, format }: Language) {
  const to = format.dayOf(new Date().toISOString())
  return PERIODS.map((days) => {
    const from = addDays(to, 1 - days)
    return {
      href: addressOf(path, { ...kept, from, to }),
      text: words.statistics.period(days, format.number(days)),
      current: kept.from === from && kept.to === to,
    }
  })
}

/** A report of the API, or why it was rejected, and the choices of the bar. */
interface Loaded<R> {
  report?: R
  rejection?: ApiError
  facets: FacetsJson
  funnels: Option[]
}

/** Loads a report with its frame. @param known other statuses than 400 that the page explains */
export async function loadReport<R>(
  context: PageContext,
  address: string,
  { hasFunnel = false, known = [] }: { hasFunnel?: boolean; known?: number[] } = {},
): Promise<Loaded<R>> {
  const [loaded, facets, funnels] = await Promise.all([
    context.api.read<R>(address).then(
      (report) => ({ report }),
      (error: unknown) => {
        if (error instanceof ApiError && [400, ...known].includes(error.status)) return { rejection: error }
        throw error
      },
    ),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    hasFunnel ? readFunnels(context) : [],
  ])
  return { ...loaded, facets, funnels }
}

interface Shown {
  name: Tab['name']
  /** The query in the address. */
  asked: Fields
  /** The same with the report's defaults, and its days. */
  shown?: Fields
  /** The values in the form of this report, if different. */
  values?: Fields
  /** The query of this report alone, kept by links to other periods. */
  own?: Record<string, string>
  /** The fields that can have an error beside them. */
  fields: readonly string[]
}

/** Renders the page of a report. @param data of its template */
export function renderReport(
  context: PageContext,
  template: string,
  { name, asked, shown = asked, values = shown, own, fields }: Shown,
  { facets, funnels, rejection }: Loaded<unknown>,
  data: Record<string, unknown>,
): Promise<void> {
  const { ctx, language } = context
  const heading = language.words.analytics.reports[name]
  const isInvalid = rejection?.status === 400
  if (isInvalid) ctx.status = 400
  const { from = '', to = '' }: Record<string, string> = parseQuery(context).filled('from', 'to')
  return renderPage(context, template, {
    title: titleOf(heading, [
      facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
      unquoteName(asked.raw('manager')),
      daysInTitle(from, to, language),
    ]),
    heading,
    ...barOf(name, shown, facets, language, own),
    form: isInvalid ? formWithErrors(rejection, asked, [...fields], language) : freshForm(values),
    funnels,
    ...data,
  })
}
