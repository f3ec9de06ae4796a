import { createFormats, type Formats } from './format.ts'
import { inLanguage, type Words } from './words/both.ts'
import { dictionary } from './words/index.ts'

/** A language of the panel: its words, and how it writes numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words<typeof dictionary>
  format: Formats
}

/** The languages, English first: it is the one for whoever speaks none of them. */
export function createLanguages(timeZone: string): Language[] {
  return [
    { code: 'en', words: inLanguage(dictionary, 'en'), format: createFormats('en-GB', timeZone) },
    { code: 'ru', words: inLanguage(dictionary, 'ru'), format: createFormats('ru-RU', timeZone) },
  ]
}
