import { foldText } from '../morphology.ts'

/** Represents a word, a number, or a part of a compound such as "e-mail" or "DS-7604". */
export interface TextToken {
  /** Folded: lower case, е for ё, straight apostrophe, at most 100 characters. */
  word: string
  start: number
  /** Exclusive end in UTF-16 units. */
  end: number
  /** Sign that joins the token to the previous one in a compound: '-' in "e-mail", '' in "7604NI". Undefined if separate. */
  joint: string | undefined
  pause: TokenPause
}

/**
 * Describes the pause before a token: after a comma or dash (`clause`), after the end of a sentence or line (`sentence`), or
 * none.
 */
type TokenPause = 'none' | 'clause' | 'sentence'

const TOKEN_PATTERN = /\p{N}+|[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*/gu
/** Cuts off longer words. Postgres rejects lexemes above 2 kB. */
const MAX_WORD_LENGTH = 100
/** More characters between two tokens count as the end of a sentence. */
const MAX_JOINING_SIGNS = 3

/** Splits a text into words and numbers. Adjacent letters and digits become separate tokens. */
export function* tokenizeText(text: string): Generator<TextToken> {
  // Cache results, because most words and separators of a text are repeated.
  const words = new Map<string, string>()
  const joints = new Map<string, Pick<TextToken, 'joint' | 'pause'>>()
  let last: TextToken | undefined
  for (const { 0: matched, index } of text.matchAll(TOKEN_PATTERN)) {
    const word = getOrSet(words, matched, foldToken)
    const between = last ? text.slice(last.end, Math.min(index, last.end + MAX_JOINING_SIGNS + 1)) : '\n'
    const { joint, pause } = between === '' ? ADJACENT_TOKENS : getOrSet(joints, between, classifySeparator)
    const isList = joint === ',' && !(isDigitWord(last!.word) && isDigitWord(word))
    last = { word, start: index, end: index + matched.length, joint: isList ? undefined : joint, pause }
    yield last
  }
}

function getOrSet<T>(map: Map<string, T>, key: string, compute: (key: string) => T): T {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const value = compute(key)
  map.set(key, value)
  return value
}

const ADJACENT_TOKENS = { joint: '', pause: 'none' } as const

/** Classifies the signs between two tokens. @param between at most the first four characters */
function classifySeparator(between: string): Pick<TextToken, 'joint' | 'pause'> {
  const joint = /^[-\u2010-\u2013/.:@_&,]?$/.test(between) ? between : undefined
  const isEnd = between.length > MAX_JOINING_SIGNS || /[\n\r]|[.!?…]\s/.test(between)
  if (isEnd) return { joint, pause: 'sentence' }
  return { joint, pause: /[,;:]\s|\s\p{Pd}\s/u.test(between) ? 'clause' : 'none' }
}

/** Folds a token. Most words need only lower case; others contain combining accents, as in «зво́нит». */
function foldToken(word: string): string {
  if (/^[\w\u0400-\u04ff]*$/.test(word)) return foldText(word).slice(0, MAX_WORD_LENGTH)
  const composed = word.normalize('NFC').replace(/[\u0300\u0301]/g, '')
  return foldText(composed.replace(/[’ʼ]/g, "'")).slice(0, MAX_WORD_LENGTH)
}

/** Returns true if the word consists of ASCII digits only. */
export const isDigitWord = (word: string): boolean => word >= '0' && word <= '9\uffff' && /^[0-9]+$/.test(word)
