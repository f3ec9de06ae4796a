import type { Formats } from './format.ts'
import type { frameWords } from './words/index.ts'
import type { Words } from './words/translation.ts'

type FrameWords = typeof frameWords

/** Every word of the panel: those that no page owns, and those of each page, which ../words.ts adds. */
export interface Dictionary extends FrameWords {}

/** A language of the panel: its words, and how it writes numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words<Dictionary>
  format: Formats
}
