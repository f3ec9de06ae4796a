import type { drawShareBar } from '../frame/charts.ts'

/** A table cell of a report, which views/analytics/_cell.eta renders. */
export interface TableCell {
  text: string
  /** Address of the calls or deals behind the figure. */
  href?: string | undefined
  /** Figures with separate lists; shown instead of `text`. */
  parts?: TextLink[]
  share?: ReturnType<typeof drawShareBar> | undefined
  /** Names entered by people get their own text direction. */
  isName?: boolean
  className?: string
  title?: string
}

/** A text with the address of the list behind it. */
export interface TextLink {
  text: string
  href: string
}

/** Creates a cell from a text and the address of the list behind it. */
export const createTableCell = (text: string, href?: string): TableCell => ({ text, href })
