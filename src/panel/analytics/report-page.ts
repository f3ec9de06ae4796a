import { unquoteManagerName } from '../frame/manager-names.ts'
import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { formatPathWithQuery, type FormValues } from '../frame/fields.ts'
import { createFormWithErrors, createFormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { formatTitlePeriod, formatPageTitle } from '../frame/page-title.ts'
import {
  REPORT_FILTER_FIELDS,
  buildManagerOptions,
  parseReportQuery,
  fetchFunnelOptions,
  type SelectOption,
} from './query.ts'
import type { ReportTab } from './report.ts'
import { REPORT_GROUPS, REPORT_TABS } from './tabs.ts'

/** Lengths of the periods that the filter bar offers as links, in days up to today. */
const PERIOD_DAYS = [7, 30, 90, 365]

/** Builds the filter bar and the tabs above a report. @param own query parameters that only this report has */
export function buildReportFilterBar(
  name: ReportTab['name'],
  filledQuery: FormValues,
  facets: RecordingFacetsJson,
  language: Language,
  own: Record<string, string> = {},
) {
  const { path, group, unused = [] } = REPORT_TABS.find((tab) => tab.name === name)!
  const filters = filledQuery.collectFilled(...REPORT_FILTER_FIELDS)
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
      href: formatPathWithQuery(tabs[0]!.path, filters),
      current: name === group,
    })),
    groupName: t.groups[group],
    groupTabs: REPORT_GROUPS.find(({ name }) => name === group)!.tabs.map((tab) => ({
      text: t.reports[tab.name],
      href: formatPathWithQuery(tab.path, filters),
      current: tab.name === name,
    })),
  }
}

function buildPeriodLinks(path: string, filters: Record<string, string>, { words, format }: Language) {
  const to = format.dayOf(new Date().toISOString())
  return PERIOD_DAYS.map((days) => {
    const from = addDays(to, 1 - days)
    return {
      href: formatPathWithQuery(path, { ...filters, from, to }),
      text: words.statistics.period(days, format.number(days)),
      current: filters.from === from && filters.to === to,
    }
  })
}

/** The report, or the ApiError that rejected it, with the options of the filter bar. */
interface FetchedReport<R> {
  report?: R
  rejection?: ApiError
  facets: RecordingFacetsJson
  funnels: SelectOption[]
}

/**
 * Fetches a report and the options of its filters in parallel. @param known statuses besides 400 to return as `rejection`; others
 * throw
 */
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
    context.api.fetch<RecordingFacetsJson>('/v1/recordings/facets'),
    hasFunnel ? fetchFunnelOptions(context) : [],
  ])
  return { ...result, facets, funnels }
}

interface ReportPageOptions {
  name: ReportTab['name']
  /** The query as sent by the browser. */
  query: FormValues
  /** The query completed with the default values and the period of the report. */
  filledQuery?: FormValues
  /** Values of the form; by default those of `filledQuery`. */
  values?: FormValues
  /** Parameters that only this report has. Links to other periods keep them. */
  own?: Record<string, string>
  /** Names of the form fields that can show an error. */
  fields: readonly string[]
}

/**
 * Renders a report page. If the API rejected the query, responds with 400 and errors beside the fields. @param data additional
 * data of the template
 */
export function renderReportPage(
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
  const { from = '', to = '' }: Record<string, string> = parseReportQuery(context).collectFilled('from', 'to')
  return renderPage(context, template, {
    title: formatPageTitle(heading, [
      facets.departments.find(({ id }) => id === query.raw('department'))?.name,
      unquoteManagerName(query.raw('manager')),
      formatTitlePeriod(from, to, language),
    ]),
    heading,
    ...buildReportFilterBar(name, filledQuery, facets, language, own),
    form: isInvalid ? createFormWithErrors(rejection, query, [...fields], language) : createFormState(values),
    funnels,
    ...data,
  })
}
