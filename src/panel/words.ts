import { createFormats } from './frame/format.ts'
import type { Language } from './frame/i18n.ts'
import { frameWords } from './frame/words/index.ts'
import { selectLanguage } from './frame/words/translation.ts'
import { PAGES } from './pages.ts'

type PanelPage = (typeof PAGES)[number]
type PageWords = { [P in PanelPage as P['name']]: P['words'] }

declare module './frame/i18n.ts' {
  interface Dictionary extends PageWords {}
}

const pageWords = Object.fromEntries(PAGES.map(({ name, words }) => [name, words])) as unknown as PageWords

export const panelDictionary = { ...frameWords, ...pageWords }

/** Creates the languages of the panel. The first one is the default. @param timeZone IANA name of the service's time zone */
export const createLanguages = (timeZone: string): Language[] => [
  { code: 'en', words: selectLanguage(panelDictionary, 'en'), format: createFormats('en-GB', timeZone) },
  { code: 'ru', words: selectLanguage(panelDictionary, 'ru'), format: createFormats('ru-RU', timeZone) },
]
