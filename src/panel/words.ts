import type { KnownMessage } from '../platform/lib/message-header.ts'
import { createFormats } from './frame/format.ts'
import type { Language } from './frame/i18n.ts'
import { inLanguage } from './frame/words/translation.ts'
import type { Page } from './frame/page.ts'
import { frameWords } from './frame/words/index.ts'
import { frameSayings } from './frame/words/messages.ts'
import type { Sayings } from './frame/words/sayings.ts'
import { PAGES } from './pages.ts'

type Pages = (typeof PAGES)[number]
type PageWords = { [P in Pages as P['name']]: P['words'] }

declare module './frame/i18n.ts' {
  interface Dictionary extends PageWords {}
}

const pageWords = Object.fromEntries(PAGES.map(({ name, words }) => [name, words])) as unknown as PageWords

/** Every word of the panel, of its frame and by feature, both languages side by side. */
export const dictionary: typeof frameWords & PageWords = { ...frameWords, ...pageWords }

/** How the messages of the API are said, by id. */
export const sayings: Sayings = Object.assign({}, frameSayings, ...PAGES.map((page: Page) => page.messages))

const sayingsIn = (code: 'en' | 'ru') =>
  Object.fromEntries(Object.entries(sayings).map(([id, saying]) => [id, saying[code]]))

/** The languages, English first: it is the one for whoever speaks none of them. */
export function createLanguages(timeZone: string): Language[] {
  const reasons = new Map<string, KnownMessage>()
  return [
    {
      code: 'en',
      reasons,
      words: inLanguage(dictionary, 'en'),
      format: createFormats('en-GB', timeZone),
      messages: sayingsIn('en'),
    },
    {
      code: 'ru',
      reasons,
      words: inLanguage(dictionary, 'ru'),
      format: createFormats('ru-RU', timeZone),
      messages: sayingsIn('ru'),
    },
  ]
}
