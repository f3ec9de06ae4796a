import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { buildTsvector } from '../../platform/lib/search/terms.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { recordingCountersSql } from './counts.ts'
import { HAS_UNINDEXED_TRANSCRIPTS_SQL } from './search-query.ts'

const MAX_RUN_MS = 20_000
const TEXTS_PER_BATCH = 20
/** A batch locks its texts. Deleting their calls or correcting the call times waits for this lock. */
const MAX_BATCH_MS = 100

/**
 * Adds search terms to transcripts without them, newest first, for at most 20 s. An earlier release stores transcripts without
 * terms, also after a rollback. Pauses after each batch for as long as the batch took, so that lists stay fast.
 */
export async function reindexTranscripts(core: Core, stopSignal: AbortSignal): Promise<void> {
  const end = performance.now() + MAX_RUN_MS
  while (!stopSignal.aborted && performance.now() < end) {
    const startedAt = performance.now()
    if (!(await reindexTranscriptBatch(core))) return
    await pause(performance.now() - startedAt, undefined, { signal: stopSignal }).catch(() => undefined)
  }
}

/**
 * Adds search terms to a batch of the newest transcripts without them. Other workers skip the locked rows, and a killed batch
 * changes nothing.
 * @returns false if all unlocked transcripts have terms
 */
export async function reindexTranscriptBatch({ db, log }: Core, size = TEXTS_PER_BATCH): Promise<boolean> {
  return runInTransaction(db, async (sql) => {
    const { rows } = await sql.query<{ id: string; text: string }>({
      text: `SELECT recording_id AS id, text FROM transcripts WHERE search_terms IS NULL
              ORDER BY ready_number DESC NULLS LAST, created_at DESC, recording_id DESC LIMIT $1
                FOR NO KEY UPDATE SKIP LOCKED`,
      values: [size],
    })
    if (rows.length === 0) return false
    const end = performance.now() + MAX_BATCH_MS
    const terms: string[] = []
    for (const { id, text } of rows) {
      // A text that cannot be analysed gets empty terms, so that it does not stop the following texts.
      terms.push(await buildTsvector(text).catch((error: unknown) => logIndexFailure(log, id, error)))
      if (performance.now() > end) break
    }
    const ids = rows.slice(0, terms.length).map(({ id }) => id)
    await sql.query({
      text: `UPDATE transcripts t SET search_terms = indexed.terms::tsvector
               FROM unnest($1::uuid[], $2::text[]) AS indexed (id, terms) WHERE t.recording_id = indexed.id`,
      values: [ids, terms],
    })
    return true
  })
}

function logIndexFailure(log: Core['log'], recordingId: string, err: unknown): string {
  log.error({ recordingId, err }, 'a text cannot be indexed: the search does not find it')
  return ''
}

/** The number of transcripts with search terms, and of all transcripts. */
interface TranscriptReindexProgress {
  indexed: number
  total: number
}

/** Cached, because counting 1,000,000 texts without terms takes 0.4 s of processor time. */
const progressCache = new TtlCache<TranscriptReindexProgress>({ ttlMs: 10_000, maxEntries: 1 })

/** Counts the transcripts with search terms. Returns null if all transcripts have them. */
export async function loadTranscriptReindexProgress({ pool }: Core): Promise<TranscriptReindexProgress | null> {
  const { rows } = await pool.query<{ isRunning: boolean | null }>({
    text: `SELECT ${HAS_UNINDEXED_TRANSCRIPTS_SQL} AS "isRunning"`,
  })
  if (!rows[0]!.isRunning) return null
  return progressCache.getOrCompute(pool, 'progress', async () => {
    // Each DONE call has one transcript.
    const counted = await pool.query<TranscriptReindexProgress>({
      text: `SELECT total, greatest(total - waiting, 0) AS indexed
               FROM (SELECT coalesce(sum(n), 0)::integer AS total FROM ${recordingCountersSql('all')} WHERE status = 'DONE') AS done,
                    (SELECT count(*)::integer AS waiting FROM transcripts WHERE search_terms IS NULL) AS texts`,
    })
    return counted.rows[0]!
  })
}
