import type { drawShare } from '../frame/charts.ts'

/** The content of a table's cell. */
export interface TableCell {
  text: string
  /** The calls or deals behind it. */
  href?: string | undefined
  /** Shown instead of the text: figures, each with its own list. */
  parts?: TextLink[]
  /** A bar beside the number. */
  share?: ReturnType<typeof drawShare> | undefined
  /** A name that people gave: shown in its own text direction. */
  isName?: boolean
  /** The class of the text, such as that of a score's band. */
  className?: string
  title?: string
}

/** A text that leads to a list. */
export interface TextLink {
  text: string
  href: string
}

/** A cell with a text, and the list behind it. */
export const createCell = (text: string, href?: string): TableCell => ({ text, href })
