import { choicesOf, piecesOf } from './phrases.ts'
import { MOST_GROUPS } from './rule-violations.ts'
import { at, isRecord, type Violations } from './violation.ts'

/** Rejects rules that can never match: without phrases, or with exceptions that exclude each of them. */
export async function checkMatchable(
  rule: Record<string, unknown>,
  path: string,
  violations: Violations,
): Promise<void> {
  const exceptions = new Exceptions()
  for (const exception of textsOf(rule.except)) {
    exceptions.add(wordsIn(exception))
    await violations.rest()
  }
  const check = async (value: unknown, where: string, except: Exceptions): Promise<void> => {
    if (value === undefined) return
    const phrases = textsOf(value)
    for (const phrase of phrases) {
      if (!except.cover(wordsIn(phrase))) return
      await violations.rest()
    }
    const message =
      phrases.length === 0 ? 'Without a phrase it finds nothing.' : 'The exceptions take every phrase away.'
    const russian = phrases.length === 0 ? 'Без фраз ничего не найти.' : 'Исключения отнимают все фразы.'
    violations.add(where, 'cannotMatch', message, russian)
  }
  await check(rule.any, at(path, 'any'), exceptions)
  for (const [index, group] of groupsOf(rule).entries()) await check(group, at(at(path, 'all'), index), exceptions)
  const after = isRecord(rule.after) ? rule.after : undefined
  if (after) await check(after.any, at(path, 'after.any'), new Exceptions())
  if (after && after.any === undefined && after.rule === undefined && rule.kind !== 'order')
    violations.add(at(path, 'after'), 'cannotMatch', 'It needs phrases or a rule.', 'Нужны фразы или правило.')
}

/** Counts the phrases in all lists of a rule. */
export function phrasesIn(rule: Record<string, unknown>): number {
  const after = isRecord(rule.after) ? rule.after.any : undefined
  const lists = [rule.any, rule.except, after, ...groupsOf(rule)]
  return lists.reduce((sum: number, list) => sum + listsOf(list).flat().length, 0)
}

const groupsOf = ({ all }: Record<string, unknown>): unknown[] => (Array.isArray(all) ? all.slice(0, MOST_GROUPS) : [])

const listsOf = (value: unknown): unknown[][] =>
  isRecord(value) ? [value.ru, value.en].filter((list) => Array.isArray(list)) : []

const textsOf = (value: unknown): string[] =>
  listsOf(value)
    .flatMap((list) => list.slice(0, 200))
    .filter((text) => typeof text === 'string')

const wordsIn = (text: string): string[][] =>
  (piecesOf(text) ?? []).flatMap((piece) => (piece.slot ? [[piece.text]] : choicesOf(piece.text)))

/**
 * Matches all exceptions against a phrase at once (Shift-And algorithm). Each word of each exception is a bit, so the time
 * does not depend on common words of phrases and exceptions.
 */
class Exceptions {
  /** The positions of each word in the exceptions, as bits. */
  private readonly places = new Map<string, bigint>()
  private first = 0n
  private last = 0n
  private next = 1n

  add(exception: string[][]): void {
    if (exception.length === 0) return
    this.first |= this.next
    for (const choice of exception) {
      for (const word of choice) this.places.set(word, (this.places.get(word) ?? 0n) | this.next)
      this.next <<= 1n
    }
    this.last |= this.next >> 1n
  }

  /** Whether a phrase contains an exception as adjacent words, for any choice of its alternatives. */
  cover(phrase: string[][]): boolean {
    let reached = 0n
    for (const choice of phrase) {
      const fitting = choice.reduce((places, word) => places & (this.places.get(word) ?? 0n), -1n)
      reached = ((reached << 1n) | this.first) & fitting
      if ((reached & this.last) !== 0n) return true
    }
    return false
  }
}
