import type { Frame } from '../../reports/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Words } from '../frame/words/translation.ts'
import type { View } from './view.ts'
import type { analytics } from './words.ts'
import type { Writer } from './writer.ts'

/** A tab of the reports. */
export interface Tab {
  /** Its name in the words. */
  name: keyof Words<typeof analytics>['reports']
  path: string
  /** Fields of the bar that it does not use; its address keeps them for the other tabs. */
  unused?: readonly string[]
}

/** A report whose page, CSV file and tab follow from it. */
export interface Report<R extends Frame = Frame> extends Tab {
  /** Its path in the API. */
  api: string
  /** Whether it counts deals, which have funnels. */
  hasFunnel: boolean
  /** Parameters that no other report has. */
  own: readonly string[]
  show: (report: R, write: Writer, context: PageContext) => View
}

type Declared<R extends Frame> = Pick<Report<R>, 'name' | 'hasFunnel' | 'show'> & Partial<Pick<Report<R>, 'own'>>

/** Declares a report of the same name in the API. */
export const defineReport = <R extends Frame>({ name, hasFunnel, own = [], show }: Declared<R>): Report => ({
  name,
  path: `/analytics/${name}`,
  api: `/v1/analytics/${name}`,
  unused: hasFunnel ? [] : ['funnel'],
  hasFunnel,
  own,
  show: show as Report['show'],
})
