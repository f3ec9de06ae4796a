import type { KnownMessage } from '../../platform/lib/message-header.ts'
import type { Formats } from './format.ts'
import type { frameWords } from './words/index.ts'
import type { Words } from './words/translation.ts'
import type { Saying } from './words/sayings.ts'

/** Every word of the panel: those that no page owns, and those of each page, which ../words.ts adds. */
type FrameWords = typeof frameWords
export interface Dictionary extends FrameWords {}

/** A language of the panel: its words, and how it writes numbers and times. */
export interface Language {
  code: 'en' | 'ru'
  words: Words<Dictionary>
  format: Formats
  /** By which ids reasons of failures are known, by their text: see reasons.ts. */
  reasons: Map<string, KnownMessage>
  /** How messages of the API are said, by id. */
  messages: Readonly<Record<string, Saying | undefined>>
}
