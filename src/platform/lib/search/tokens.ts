import { foldText } from '../morphology.ts'

/** A word, a number, or a part of a compound such as "e-mail" or "DS-7604". */
export interface Token {
  /** Folded: lower case, е for ё, a straight apostrophe; at most 100 characters. */
  word: string
  start: number
  /** The exclusive end, in UTF-16 units. */
  end: number
  /** The sign between it and the token before if they form a compound: '-' in "e-mail", '' in "7604NI". */
  joint: string | undefined
  pause: TokenPause
}

/** Signs before a token that separate it from the one before: none, a comma or dash, the end of a sentence or line. */
export type TokenPause = 'none' | 'clause' | 'sentence'

const TOKEN_PATTERN = /\p{N}+|[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*/gu
/** A longer lexeme is no word; Postgres rejects those above 2 kB. */
const MAX_WORD_LENGTH = 100
/** More signs between two tokens separate them. */
const MAX_JOINING_SIGNS = 3

/** Splits a text into tokens: letters and digits, separated by other characters and from each other. */
export function* tokenize(text: string): Generator<Token> {
  // Most words and signs of a text are repeated.
  const words = new Map<string, string>()
  const joints = new Map<string, Pick<Token, 'joint' | 'pause'>>()
  let last: Token | undefined
  for (const { 0: matched, index } of text.matchAll(TOKEN_PATTERN)) {
    const word = getOrSet(words, matched, foldToken)
    const between = last ? text.slice(last.end, Math.min(index, last.end + MAX_JOINING_SIGNS + 1)) : '\n'
    const { joint, pause } = between === '' ? ADJACENT_TOKENS : getOrSet(joints, between, classifySeparator)
    const isList = joint === ',' && !(isNumber(last!.word) && isNumber(word))
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

/** @param between the signs between two tokens, the first four of them */
function classifySeparator(between: string): Pick<Token, 'joint' | 'pause'> {
  const joint = /^[-\u2010-\u2013/.:@_&,]?$/.test(between) ? between : undefined
  const isEnd = between.length > MAX_JOINING_SIGNS || /[\n\r]|[.!?…]\s/.test(between)
  if (isEnd) return { joint, pause: 'sentence' }
  return { joint, pause: /[,;:]\s|\s\p{Pd}\s/u.test(between) ? 'clause' : 'none' }
}

/** Most words need only small letters; others have accents as characters of their own, as in «зво́нит». */
function foldToken(word: string): string {
  if (/^[\w\u0400-\u04ff]*$/.test(word)) return foldText(word).slice(0, MAX_WORD_LENGTH)
  const composed = word.normalize('NFC').replace(/[\u0300\u0301]/g, '')
  return foldText(composed.replace(/[’ʼ]/g, "'")).slice(0, MAX_WORD_LENGTH)
}

/** Whether a word consists of ASCII digits alone. */
export const isNumber = (word: string): boolean => word >= '0' && word <= '9\uffff' && /^[0-9]+$/.test(word)
