import type { dictionary } from '../words.ts'
import type { Formats } from './format.ts'
import type { Words } from './words/both.ts'

/** A language of the panel: its words, and how it writes numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words<typeof dictionary>
  format: Formats
}
