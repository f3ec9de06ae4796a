import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequest } from '../../platform/errors.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import type { ExcerptJson } from './excerpts-schema.ts'
import { analyzeText } from '../../platform/lib/search/terms.ts'
import { findMatches, type Match } from '../../platform/lib/search/match.ts'
import { parseSearch, wantedPhrases } from '../../platform/lib/search/query.ts'
import { loadSynonyms } from './synonyms.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Characters of a text that an excerpt shows, about, and those of them before the first match. */
const LENGTH = 160
const BEFORE = 50
/** How far a cut goes back to a space, so that no word is split. */
const SLACK = 24
/** Texts in memory at once. */
const BATCH = 20

interface Text {
  id: string
  text: string
}

/** Reads the words around matches, or how calls begin. @throws HttpError 400 if `full` is asked of several */
export async function readExcerpts(
  core: Core,
  actor: Actor,
  { ids, q, full }: { ids: string[]; q?: string; full: boolean },
): Promise<ExcerptJson[]> {
  const uniqueIds = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (full && uniqueIds.length > 1) throw badRequest([recordingMessages.oneInFull().about('full')])
  const sql = core.pool
  const query = q === undefined ? undefined : await parseSearch(q, await loadSynonyms(sql))
  const phrases = query ? wantedPhrases(query.root) : []
  const found = new Map<string, ExcerptJson>()
  for (let n = 0; n < uniqueIds.length; n += BATCH) {
    for (const { id, text } of await loadTexts(sql, actor, uniqueIds.slice(n, n + BATCH))) {
      const matches = phrases.length > 0 ? await findMatches(await analyzeText(text), phrases) : []
      found.set(id, { id, ...present(full ? { text, matches } : cut(text, matches)), more: matches.length })
    }
  }
  return uniqueIds.flatMap((id) => found.get(id) ?? [])
}

async function loadTexts(sql: Sql, actor: Actor, ids: string[]): Promise<Text[]> {
  const p = new Parameters()
  const { rows } = await sql.query<Text>({
    text: `SELECT t.recording_id AS id, t.text
             FROM transcripts t JOIN recordings r ON r.id = t.recording_id
            WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND r.status = 'DONE' AND ${p.and(visibleTo(actor))}`,
    values: p.values,
  })
  return rows
}

const present = ({ text, matches }: { text: string; matches: Match[] }): Omit<ExcerptJson, 'id' | 'more'> => ({
  text,
  matches: matches.map(({ start, end }) => [start, end]),
  synonymOf: matches.map(({ synonymOf }) => synonymOf ?? null),
})

/** The words around the first matches, with an ellipsis for omitted text; without matches the beginning. */
function cut(text: string, matches: Match[]): { text: string; matches: Match[] } {
  const first = matches[0] ?? { start: 0, end: 0 }
  const start =
    text.length <= LENGTH ? 0 : softCut(text, Math.min(first.start - BEFORE, text.length - LENGTH), first.start)
  const whole = Math.max(start + LENGTH, first.end)
  const end = whole >= text.length ? text.length : softEnd(text, whole, first.end)
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  const shift = before.length - start
  return {
    text: `${before}${text.slice(start, end)}${after}`,
    matches: matches
      .filter((match) => match.end <= end)
      .map((match) => ({ ...match, start: match.start + shift, end: match.end + shift })),
  }
}

/** A position near `at`, at most `latest`, where a word begins. */
function softCut(text: string, at: number, latest: number): number {
  if (at <= 0) return 0
  const space = text.slice(at, Math.min(at + SLACK, latest)).search(/\s\S/)
  return space < 0 ? wholeCharacter(text, at) : at + space + 1
}

/** A position near `at`, at least `earliest`, where a word has ended. */
function softEnd(text: string, at: number, earliest: number): number {
  const from = Math.max(at - SLACK, earliest)
  const space = text.slice(from, at).search(/\s\S*$/)
  return space < 0 ? wholeCharacter(text, at) : from + space
}

/** Not inside a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) ? at - 1 : at
