import type { Formats } from './format.ts'
import type { frameWords } from './words/index.ts'
import type { Words } from './words/translation.ts'

type FrameWords = typeof frameWords

/** All texts of the panel: the common ones, and those of each page, added by ../words.ts. */
export interface Dictionary extends FrameWords {}

/** A language of the panel: its texts, and its formats of numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words<Dictionary>
  format: Formats
}
