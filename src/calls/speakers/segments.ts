import type { CallsCore } from '../core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { buildTsvector } from '../../platform/lib/search/terms.ts'
import type { TranscriptSegment, SegmentWordTimes } from '../transcripts/entity.ts'
import { SEGMENTS_HASH_SQL } from '../transcripts/speakers.ts'

interface SpokenText {
  segments: TranscriptSegment[]
  words: SegmentWordTimes[] | null
}

/** Loads the segments of a transcript with their words; undefined if there is none. */
export async function loadSegments(sql: Sql, recordingId: string, lock = ''): Promise<SpokenText | undefined> {
  const { rows } = await sql.query<SpokenText>({
    text: `SELECT segments, words FROM transcripts WHERE recording_id = $1 ${lock}`,
    values: [recordingId],
  })
  return rows[0]
}

interface SegmentChange extends SpokenText {
  before: TranscriptSegment[]
  /** Whether a person waits for this call. */
  isUrgent: boolean
}

/**
 * Replaces the segments of a transcript by segments with the same words and other speakers. Calls the listeners.
 * @returns the queues to notify after the commit
 */
export async function replaceSegments(
  core: CallsCore,
  sql: Sql,
  recordingId: string,
  { before, segments, words, isUrgent }: SegmentChange,
): Promise<string[]> {
  const text = segments.map((segment) => segment.text).join('\n')
  await sql.query({
    text: `UPDATE transcripts t SET segments = $2, words = $3, text = $4, search_terms = $5,
                  first_hash = coalesce(t.first_hash, ${SEGMENTS_HASH_SQL})
            WHERE recording_id = $1`,
    values: [recordingId, JSON.stringify(segments), words && JSON.stringify(words), text, await buildTsvector(text)],
  })
  const queues: string[] = []
  for (const listener of core.callListeners) {
    const changes = { before, after: segments }
    queues.push(...((await listener.speakersChanged?.(sql, core.config, recordingId, isUrgent, changes)) ?? []))
  }
  return queues
}
