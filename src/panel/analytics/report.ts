import type { ReportFrame } from '../../reports/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { TranslatedWords } from '../frame/words/translation.ts'
import type { ReportView } from './view.ts'
import type { analyticsWords } from './words.ts'
import type { FigureFormatter } from './figure-formatter.ts'

/** A tab above the reports, with the address of its page. */
export interface ReportTab {
  /** Key of the title in `analyticsWords.reports`. */
  name: keyof TranslatedWords<typeof analyticsWords>['reports']
  path: string
  /** Key of the group in `analyticsWords.groups`. */
  group: keyof TranslatedWords<typeof analyticsWords>['groups']
  /** Fields of the filter bar that this page ignores. Its address still keeps them for the other tabs. */
  unused?: readonly string[]
}

/** A report of the API with the function that turns its figures into a page. */
export interface ReportPage<R extends ReportFrame = ReportFrame> extends ReportTab {
  /** API path, such as /v1/analytics/sales. */
  api: string
  /** Whether the report counts deals and therefore has a funnel filter. */
  hasFunnel: boolean
  /** Names of the query parameters that no other report has. */
  own: readonly string[]
  show: (report: R, write: FigureFormatter, context: PageContext) => ReportView
}

type ReportDeclaration<R extends ReportFrame> = Pick<ReportPage<R>, 'name' | 'group' | 'hasFunnel' | 'show'> &
  Partial<Pick<ReportPage<R>, 'own'>>

/** Declares the page of a report. `name` is also the last segment of its path in the panel and in the API. */
export const defineReportPage = <R extends ReportFrame>({
  name,
  group,
  hasFunnel,
  own = [],
  show,
}: ReportDeclaration<R>): ReportPage => ({
  name,
  group,
  path: `/analytics/${name}`,
  api: `/v1/analytics/${name}`,
  unused: hasFunnel ? [] : ['funnel'],
  hasFunnel,
  own,
  show: show as ReportPage['show'],
})
