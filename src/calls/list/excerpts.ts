import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { setImmediate } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { badRequest } from '../../platform/errors.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import type { ExcerptJson } from './excerpts-schema.ts'
import { anyOf, findMatches, isWord, patternsOf, type Pattern, type Range, type Token } from './matches.ts'
import { foldText, parseQuery } from './question.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** About how much of a text an excerpt shows, and how much of that stands before the first match. */
const LENGTH = 160
const BEFORE = 50
/** How far a cut goes back to a space, so that no word is cut in two. */
const SLACK = 24
/** Texts in memory at once. */
const BATCH = 20
/** What the search knows of a text (see the migration that made it). */
const SEARCHED = 250_000
/** No word that anybody asks for is longer; Postgres would only warn. */
const LONGEST_WORD = 500

interface Text {
  id: string
  text: string
  /** Of the text with е for ё; none without a question. */
  tokens: Token[]
}

/**
 * What to show of transcripts: the words around the first matches of a question, or how the calls begin. Recordings
 * that the actor may not see, or that have no transcript, are left out.
 * @throws HttpError 400 where `full` is asked of several
 */
export async function readExcerpts(
  core: Core,
  actor: Actor,
  { ids, q, full }: { ids: string[]; q?: string; full: boolean },
): Promise<ExcerptJson[]> {
  const asked = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (full && asked.length > 1) throw badRequest([recordingMessages.oneInFull().about('full')])
  const sql = core.pool
  const query = q === undefined ? undefined : await parseQuery(sql, foldText(q))
  const patterns = query ? patternsOf(query.text) : []
  const found = new Map<string, ExcerptJson>()
  for (let n = 0; n < asked.length; n += BATCH) {
    const texts = await readTexts(sql, actor, asked.slice(n, n + BATCH), patterns.length > 0)
    const lexemes = await readLexemes(sql, texts, patterns)
    for (const { id, text, tokens } of texts) {
      const matches = findMatches(tokens, lexemes, patterns)
      // A hundred long texts must not keep everybody else waiting.
      await setImmediate()
      found.set(id, { id, ...(full ? { text, matches } : cut(text, matches)), more: matches.length })
    }
  }
  return asked.flatMap((id) => found.get(id) ?? [])
}

async function readTexts(sql: Sql, actor: Actor, ids: string[], tokens: boolean): Promise<Text[]> {
  const p = new Parameters()
  // One character for one: so a position in the folded text is the same in the text. Joined by what it cannot hold,
  // because JSON would take three times as long.
  const folded = `translate(left(t.text, ${SEARCHED}), 'ёЁ' || chr(1), 'еЕ ')`
  const parsed = `(SELECT string_agg(chr(tokid + 64) || token, chr(1)) FROM ts_parse('default', ${folded}))`
  const { rows } = await sql.query<Omit<Text, 'tokens'> & { tokens: string | null }>({
    text: `SELECT t.recording_id AS id, t.text, ${tokens ? parsed : 'NULL'} AS tokens
             FROM transcripts t JOIN recordings r ON r.id = t.recording_id
            WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND r.status = 'DONE' AND ${p.and(visibleTo(actor))}`,
    values: p.values,
  })
  return rows.map((row) => ({ ...row, tokens: row.tokens === null ? [] : splitTokens(row.tokens) }))
}

const splitTokens = (joined: string): Token[] =>
  joined.split('\u0001').map((token) => [token.charCodeAt(0) - 64, token.slice(1)])

/** The lexemes of those words of the texts that any pattern holds. */
async function readLexemes(sql: Sql, texts: Text[], patterns: Pattern[]): Promise<Map<string, string[]>> {
  const tokens = texts.flatMap(({ tokens }) => tokens).filter(isWord)
  // A stem begins as its word does: most words need not be asked about.
  const beginnings = new Set(patterns.flat().map(({ lexeme }) => lexeme[0]))
  const mayMatch = (word: string) => word.length <= LONGEST_WORD && beginnings.has(word[0]!.toLowerCase()[0])
  const words = [...new Set(tokens.map(([, word]) => word))].filter(mayMatch)
  const lexemes = new Map<string, string[]>()
  if (words.length === 0) return lexemes
  const { rows } = await sql.query<{ word: string; lexeme: string }>({
    // The first position of a word with hyphens is the whole word; its parts are tokens of their own.
    text: `SELECT w.word, l.lexeme
             FROM unnest($1::text[]) w (word), to_tsvector('svc_search', w.word) d (document), unnest(d.document) l
            WHERE d.document @@ $2::tsquery AND 1 = ANY(l.positions)`,
    values: [words, anyOf(patterns)],
  })
  for (const { word, lexeme } of rows) lexemes.set(word, [...(lexemes.get(word) ?? []), lexeme])
  return lexemes
}

/** The words around the first matches, with an ellipsis where something is left out; without matches the beginning. */
function cut(text: string, matches: Range[]): { text: string; matches: Range[] } {
  const first = matches[0] ?? [0, 0]
  const start = text.length <= LENGTH ? 0 : softCut(text, Math.min(first[0] - BEFORE, text.length - LENGTH), first[0])
  const whole = Math.max(start + LENGTH, first[1])
  const end = whole >= text.length ? text.length : softEnd(text, whole, first[1])
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  const shift = before.length - start
  return {
    text: `${before}${text.slice(start, end)}${after}`,
    matches: matches.filter((match) => match[1] <= end).map(([from, to]) => [from + shift, to + shift]),
  }
}

/** A position near `at` and not behind `latest` where a word begins. */
function softCut(text: string, at: number, latest: number): number {
  if (at <= 0) return 0
  const space = text.slice(at, Math.min(at + SLACK, latest)).search(/\s\S/)
  return space < 0 ? wholeCharacter(text, at) : at + space + 1
}

/** A position near `at` and not before `earliest` where a word has ended. */
function softEnd(text: string, at: number, earliest: number): number {
  const from = Math.max(at - SLACK, earliest)
  const space = text.slice(from, at).search(/\s\S*$/)
  return space < 0 ? wholeCharacter(text, at) : from + space
}

/** Not within a pair of surrogates. */
const wholeCharacter = (text: string, at: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) ? at - 1 : at
