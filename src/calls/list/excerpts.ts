import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequestError } from '../../platform/errors.ts'
import { toUniqueIds } from '../../platform/lib/ids.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { TranscriptExcerptJson } from './excerpts-schema.ts'
import { analyzeSearchText } from '../../platform/lib/search/terms.ts'
import { findPhraseMatches, type TextMatch } from '../../platform/lib/search/match.ts'
import { parseSearchQuery, collectSearchPhrases } from '../../platform/lib/search/query.ts'
import { loadCompiledSynonyms } from './synonyms.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** The approximate length of an excerpt in UTF-16 units. */
const EXCERPT_CHARS = 160
const CHARS_BEFORE_MATCH = 50
/** At each end, an excerpt can become shorter by this distance, so that the cut does not split a word. */
const CUT_SLACK_CHARS = 24
/** Limits the number of texts in memory, because each call can have a long one. */
const TEXTS_PER_BATCH = 20

interface TranscriptText {
  id: string
  text: string
}

/**
 * Loads an excerpt per call, around the first match of `q` or from the start of the text; the whole text if `full` is set. Skips
 * calls without a transcript and calls that the actor cannot see.
 * @throws HttpError 400 if `full` is set for several calls
 */
export async function loadTranscriptExcerpts(
  core: Core,
  actor: Actor,
  { ids, q, full }: { ids: string[]; q?: string; full: boolean },
): Promise<TranscriptExcerptJson[]> {
  const uniqueIds = toUniqueIds(ids)
  if (full && uniqueIds.length > 1) throw badRequestError([recordingMessages.oneInFull().withField('full')])
  const sql = core.pool
  const query = q === undefined ? undefined : await parseSearchQuery(q, await loadCompiledSynonyms(sql))
  const phrases = query ? collectSearchPhrases(query.root) : []
  const found = new Map<string, TranscriptExcerptJson>()
  for (let n = 0; n < uniqueIds.length; n += TEXTS_PER_BATCH) {
    for (const { id, text } of await loadTexts(sql, actor, uniqueIds.slice(n, n + TEXTS_PER_BATCH))) {
      const matches = phrases.length > 0 ? await findPhraseMatches(await analyzeSearchText(text), phrases) : []
      found.set(id, {
        id,
        ...presentExcerpt(full ? { text, matches } : cutExcerpt(text, matches)),
        more: matches.length,
      })
    }
  }
  return uniqueIds.flatMap((id) => found.get(id) ?? [])
}

async function loadTexts(sql: Sql, actor: Actor, ids: string[]): Promise<TranscriptText[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<TranscriptText>({
    text: `SELECT t.recording_id AS id, t.text
             FROM transcripts t JOIN recordings r ON r.id = t.recording_id
            WHERE r.id = ANY(${p.add(ids)}::uuid[]) AND r.status = 'DONE' AND ${p.and(visibleRecordingsCondition(actor))}`,
    values: p.values,
  })
  return rows
}

const presentExcerpt = ({
  text,
  matches,
}: {
  text: string
  matches: TextMatch[]
}): Omit<TranscriptExcerptJson, 'id' | 'more'> => ({
  text,
  matches: matches.map(({ start, end }) => [start, end]),
  synonymOf: matches.map(({ synonymOf }) => synonymOf ?? null),
})

/** Cuts an excerpt around the first match, or from the start of the text without matches. An ellipsis replaces omitted text. */
function cutExcerpt(text: string, matches: TextMatch[]): { text: string; matches: TextMatch[] } {
  const first = matches[0] ?? { start: 0, end: 0 }
  const start =
    text.length <= EXCERPT_CHARS
      ? 0
      : findWordStart(text, Math.min(first.start - CHARS_BEFORE_MATCH, text.length - EXCERPT_CHARS), first.start)
  const fullEnd = Math.max(start + EXCERPT_CHARS, first.end)
  const end = fullEnd >= text.length ? text.length : findWordEnd(text, fullEnd, first.end)
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  const shift = before.length - start
  return {
    text: `${before}${text.slice(start, end)}${after}`,
    matches: matches
      .filter((match) => match.end <= end)
      .map((match) => ({ ...match, start: match.start + shift, end: match.end + shift })),
  }
}

/** Returns the first start of a word after `at` and before `latest`. Returns `at` if no word starts within CUT_SLACK_CHARS. */
function findWordStart(text: string, at: number, latest: number): number {
  if (at <= 0) return 0
  const space = text.slice(at, Math.min(at + CUT_SLACK_CHARS, latest)).search(/\s\S/)
  return space < 0 ? alignToCharacter(text, at) : at + space + 1
}

/** Returns the last end of a word before `at`, but not before `earliest`. Returns `at` if no word ends within CUT_SLACK_CHARS. */
function findWordEnd(text: string, at: number, earliest: number): number {
  const from = Math.max(at - CUT_SLACK_CHARS, earliest)
  const space = text.slice(from, at).search(/\s\S*$/)
  return space < 0 ? alignToCharacter(text, at) : from + space
}

/** Moves a position out of a surrogate pair. */
const alignToCharacter = (text: string, at: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) ? at - 1 : at
