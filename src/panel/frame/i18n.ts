import type { LanguageFormats } from './format.ts'
import type { frameWords } from './words/index.ts'
import type { TranslatedWords } from './words/translation.ts'

type FrameWords = typeof frameWords

/** All texts of the panel. ../words.ts extends the interface with the texts of each page. */
export interface PanelDictionary extends FrameWords {}

/** A language of the panel with its texts and its formats for numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: TranslatedWords<PanelDictionary>
  format: LanguageFormats
}
