import { fold } from '../morphology.ts'

/** A word, a number, or a part of a compound such as "e-mail" or "DS-7604". */
export interface Token {
  /** Folded: lower case, е for ё, a straight apostrophe; at most 100 characters. */
  word: string
  start: number
  /** The exclusive end, in UTF-16 units. */
  end: number
  /** The signs before the token in a compound: '-' in "e-mail", '' in "7604NI". */
  joint: string | undefined
}

const TOKEN = /\p{N}+|[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*/gu
/** A longer lexeme is no word; Postgres rejects those above 2 kB. */
const MAX_WORD = 100
/** Two tokens with more signs between them are no compound. */
const MAX_JOINT = 2

/** Splits a text into tokens: letters and digits, separated by other characters and from each other. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  // Most words and signs of a text are repeated.
  const words = new Map<string, string>()
  const joints = new Map<string, string | undefined>()
  let last: number | undefined
  for (const { 0: found, index } of text.matchAll(TOKEN)) {
    const between = last === undefined || index - last > MAX_JOINT ? ' ' : text.slice(last, index)
    last = index + found.length
    const word = getOrSet(words, found, foldToken)
    tokens.push({ word, start: index, end: last, joint: getOrSet(joints, between, jointOf) })
  }
  return tokens
}

function getOrSet<T>(map: Map<string, T>, key: string, compute: (key: string) => T): T {
  if (!map.has(key)) map.set(key, compute(key))
  return map.get(key)!
}

const jointOf = (between: string): string | undefined => (/[\s"\p{Cc}]/u.test(between) ? undefined : between)

/** Most words only need lower-casing; others can have accents as separate characters. */
const foldToken = (word: string): string =>
  fold(/^[\w\u0400-\u04ff]*$/.test(word) ? word : word.normalize('NFC').replace(/[’ʼ]/g, "'")).slice(0, MAX_WORD)

export const isNumber = (word: string): boolean => word >= '0' && word <= '9\uffff' && /^[0-9]+$/.test(word)
