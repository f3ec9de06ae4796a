import { createLanguageFormats } from './frame/format.ts'
import type { Language } from './frame/i18n.ts'
import { frameWords } from './frame/words/index.ts'
import { selectDictionaryLanguage } from './frame/words/translation.ts'
import { PANEL_PAGES } from './pages.ts'

type PanelPage = (typeof PANEL_PAGES)[number]
type PageWords = { [P in PanelPage as P['name']]: P['words'] }

declare module './frame/i18n.ts' {
  interface PanelDictionary extends PageWords {}
}

const pageWords = Object.fromEntries(PANEL_PAGES.map(({ name, words }) => [name, words])) as unknown as PageWords

export const panelDictionary = { ...frameWords, ...pageWords }

/** Creates the languages of the panel. The first one is the default. @param timeZone IANA name of the service's time zone */
export const createPanelLanguages = (timeZone: string): Language[] => [
  {
    code: 'en',
    words: selectDictionaryLanguage(panelDictionary, 'en'),
    format: createLanguageFormats('en-GB', timeZone),
  },
  {
    code: 'ru',
    words: selectDictionaryLanguage(panelDictionary, 'ru'),
    format: createLanguageFormats('ru-RU', timeZone),
  },
]
