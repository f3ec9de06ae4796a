import type { Context } from 'koa'
import { createFormats, type Formats } from './format.ts'
import { en } from './words-en.ts'
import { ru } from './words-ru.ts'

/** What every language must have: a word missing in one is a type error. */
export type Words = typeof en

/** A language of the panel: its words, and how it writes numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words
  format: Formats
}

/** The languages, English first: it is the one for whoever speaks none of them. */
export function createLanguages(timeZone: string): Language[] {
  return [
    { code: 'en', words: en, format: createFormats('en-GB', timeZone) },
    { code: 'ru', words: ru, format: createFormats('ru-RU', timeZone) },
  ]
}

/** The language of this panel that the browser likes best. */
export function chooseLanguage(ctx: Context, languages: Language[]): Language {
  const best = ctx.acceptsLanguages(languages.map(({ code }) => code))
  return languages.find(({ code }) => code === best) ?? languages[0]!
}
