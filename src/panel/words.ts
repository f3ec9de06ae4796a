import { createFormats } from './frame/format.ts'
import type { Language } from './frame/i18n.ts'
import { frameWords } from './frame/words/index.ts'
import { inLanguage } from './frame/words/translation.ts'
import { PAGES } from './pages.ts'

type Pages = (typeof PAGES)[number]
type PageWords = { [P in Pages as P['name']]: P['words'] }

declare module './frame/i18n.ts' {
  interface Dictionary extends PageWords {}
}

const pageWords = Object.fromEntries(PAGES.map(({ name, words }) => [name, words])) as unknown as PageWords

export const dictionary = { ...frameWords, ...pageWords }

/** The languages of the panel; the first one is the default. */
export const createLanguages = (timeZone: string): Language[] => [
  { code: 'en', words: inLanguage(dictionary, 'en'), format: createFormats('en-GB', timeZone) },
  { code: 'ru', words: inLanguage(dictionary, 'ru'), format: createFormats('ru-RU', timeZone) },
]
