import type { ReportFrame } from '../../reports/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Words } from '../frame/words/translation.ts'
import type { ReportView } from './view.ts'
import type { analyticsWords } from './words.ts'
import type { FigureFormatter } from './figure-formatter.ts'

/** A tab of the reports. */
export interface ReportTab {
  /** Its name in the words. */
  name: keyof Words<typeof analyticsWords>['reports']
  path: string
  /** The group of its tab. */
  group: keyof Words<typeof analyticsWords>['groups']
  /** Fields of the bar that it does not use; its address keeps them for the other tabs. */
  unused?: readonly string[]
}

/** A report whose page, CSV file and tab follow from it. */
export interface Report<R extends ReportFrame = ReportFrame> extends ReportTab {
  /** Its path in the API. */
  api: string
  /** Whether it counts deals, which have funnels. */
  hasFunnel: boolean
  /** Parameters that no other report has. */
  own: readonly string[]
  show: (report: R, write: FigureFormatter, context: PageContext) => ReportView
}

type ReportDeclaration<R extends ReportFrame> = Pick<Report<R>, 'name' | 'group' | 'hasFunnel' | 'show'> &
  Partial<Pick<Report<R>, 'own'>>

/** Declares a report of the same name in the API. */
export const defineReport = <R extends ReportFrame>({
  name,
  group,
  hasFunnel,
  own = [],
  show,
}: ReportDeclaration<R>): Report => ({
  name,
  group,
  path: `/analytics/${name}`,
  api: `/v1/analytics/${name}`,
  unused: hasFunnel ? [] : ['funnel'],
  hasFunnel,
  own,
  show: show as Report['show'],
})
