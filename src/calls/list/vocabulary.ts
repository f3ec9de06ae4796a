import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { SqlParameters, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'

/** Words in the form of the search index, ordered by the number of calls, most frequent first. */
export type SearchVocabulary = ReadonlySet<string>

/** For this number of calls with 1,000 words each, Postgres needs 0.23 s. */
const MAX_NEWEST_CALLS = 1000
/** A vocabulary takes about 80 bytes per word. */
const MAX_VOCABULARY_WORDS = 30_000

const vocabularyCache = new TtlCache<SearchVocabulary>({ ttlMs: 5 * 60_000, maxEntries: 16 })

/** Loads the words of the newest calls that an actor can see. The cache keeps words of deleted calls for up to five minutes. */
export function loadSearchVocabulary({ pool }: Core, actor: Actor): Promise<SearchVocabulary> {
  const visible = visibleRecordingsCondition(actor)
  return vocabularyCache.getOrCompute(pool, JSON.stringify(visible), () => loadTranscriptWords(pool, visible))
}

/**
 * Loads the words of the 1,000 newest calls without the cache.
 * @param visible conditions on the recording r
 */
export async function loadTranscriptWords(sql: Sql, visible: SqlConditions): Promise<SearchVocabulary> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ word: string }>({
    // Skip derived terms and days, which start with these characters.
    text: `WITH newest AS (SELECT r.id FROM recordings r WHERE r.status = 'DONE' AND ${p.and(visible)}
                            ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_NEWEST_CALLS})
           SELECT word FROM ts_stat((
             SELECT format('SELECT search_terms FROM transcripts WHERE recording_id = ANY(%L::uuid[])', array_agg(id))
               FROM newest))
            WHERE left(word, 1) NOT IN (E'\\x01', E'\\x02') ORDER BY ndoc DESC, word LIMIT ${MAX_VOCABULARY_WORDS}`,
    values: p.values,
  })
  return new Set(rows.map(({ word }) => word).filter(hasOnlyLetters))
}

/** Returns true if a word consists only of letters of any script. */
export const hasOnlyLetters = (word: string): boolean => /^\p{L}+$/u.test(word)
