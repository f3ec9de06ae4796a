import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { formatAddress, type Fields } from '../frame/fields.ts'
import { createFormWithErrors, createForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { formatTitleDays, formatTitle } from '../frame/page-title.ts'
import {
  REPORT_FIELDS,
  buildManagerOptions,
  parseQuery,
  fetchFunnelOptions,
  unquoteName,
  type SelectOption,
} from './query.ts'
import type { ReportTab } from './report.ts'
import { REPORT_GROUPS, REPORT_TABS } from './tabs.ts'

/** Periods that are one click away, in days up to today. */
const PERIOD_DAYS = [7, 30, 90, 365]

/** The bar above the reports, and their tabs. `own` has the fields of this report alone. */
export function buildFilterBar(
  name: ReportTab['name'],
  filledQuery: Fields,
  facets: FacetsJson,
  language: Language,
  own: Record<string, string> = {},
) {
  const { path, group, unused = [] } = REPORT_TABS.find((tab) => tab.name === name)!
  const filters = filledQuery.collectFilled(...REPORT_FIELDS)
  const t = language.words.analytics
  return {
    report: name,
    action: path,
    unasked: Object.entries(filledQuery.collectFilled(...unused)),
    departments: facets.departments,
    managers: unused.includes('manager') ? [] : buildManagerOptions(facets, filledQuery.raw('manager')),
    periods: unused.includes('from') ? [] : buildPeriodLinks(path, { ...filters, ...own }, language),
    tabs: REPORT_GROUPS.map(({ name, tabs }) => ({
      text: t.groups[name],
      href: formatAddress(tabs[0]!.path, filters),
      current: name === group,
    })),
    groupName: t.groups[group],
    groupTabs: REPORT_GROUPS.find(({ name }) => name === group)!.tabs.map((tab) => ({
      text: t.reports[tab.name],
      href: formatAddress(tab.path, filters),
      current: tab.name === name,
    })),
  }
}

function buildPeriodLinks(path: string, filters: Record<string, string>, { words, format }: Language) {
  const to = format.dayOf(new Date().toISOString())
  return PERIOD_DAYS.map((days) => {
    const from = addDays(to, 1 - days)
    return {
      href: formatAddress(path, { ...filters, from, to }),
      text: words.statistics.period(days, format.number(days)),
      current: filters.from === from && filters.to === to,
    }
  })
}

/** A report of the API, or why it was rejected, and the choices of the bar. */
interface FetchedReport<R> {
  report?: R
  rejection?: ApiError
  facets: FacetsJson
  funnels: SelectOption[]
}

/** Loads a report with its frame. @param known other statuses than 400 that the page explains */
export async function fetchReport<R>(
  context: PageContext,
  address: string,
  { hasFunnel = false, known = [] }: { hasFunnel?: boolean; known?: number[] } = {},
): Promise<FetchedReport<R>> {
  const [result, facets, funnels] = await Promise.all([
    context.api.fetch<R>(address).then(
      (report) => ({ report }),
      (error: unknown) => {
        if (error instanceof ApiError && [400, ...known].includes(error.status)) return { rejection: error }
        throw error
      },
    ),
    context.api.fetch<FacetsJson>('/v1/recordings/facets'),
    hasFunnel ? fetchFunnelOptions(context) : [],
  ])
  return { ...result, facets, funnels }
}

interface ReportPageOptions {
  name: ReportTab['name']
  /** The query in the address. */
  query: Fields
  /** The same with the report's defaults, and its days. */
  filledQuery?: Fields
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
  { name, query, filledQuery = query, values = filledQuery, own, fields }: ReportPageOptions,
  { facets, funnels, rejection }: FetchedReport<unknown>,
  data: Record<string, unknown>,
): Promise<void> {
  const { ctx, language } = context
  const heading = language.words.analytics.reports[name]
  const isInvalid = rejection?.status === 400
  if (isInvalid) ctx.status = 400
  const { from = '', to = '' }: Record<string, string> = parseQuery(context).collectFilled('from', 'to')
  return renderPage(context, template, {
    title: formatTitle(heading, [
      facets.departments.find(({ id }) => id === query.raw('department'))?.name,
      unquoteName(query.raw('manager')),
      formatTitleDays(from, to, language),
    ]),
    heading,
    ...buildFilterBar(name, filledQuery, facets, language, own),
    form: isInvalid ? createFormWithErrors(rejection, query, [...fields], language) : createForm(values),
    funnels,
    ...data,
  })
}
