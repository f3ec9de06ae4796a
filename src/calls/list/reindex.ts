import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { indexText } from '../../platform/lib/search/terms.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { countersSql } from './counts.ts'
import { HAS_UNINDEXED_TEXTS_SQL } from './search-query.ts'

const MAX_RUN_MS = 20_000
const TEXTS_PER_BATCH = 20
/** A batch locks its texts, so deleting or correcting their calls waits for it. */
const MAX_BATCH_MS = 100

/**
 * Gives texts their terms, newest first: texts of an earlier release, also if it stored or changed them after a rollback.
 * Pauses as long as it works, so that lists stay fast.
 */
export async function reindexTexts(core: Core, stopSignal: AbortSignal): Promise<void> {
  const end = performance.now() + MAX_RUN_MS
  while (!stopSignal.aborted && performance.now() < end) {
    const startedAt = performance.now()
    if (!(await reindexBatch(core))) return
    await pause(performance.now() - startedAt, undefined, { signal: stopSignal }).catch(() => undefined)
  }
}

/**
 * Indexes some of the newest texts without terms. Other workers skip the locked rows, and a batch that is killed leaves
 * its texts as they were.
 * @returns whether there were any
 */
export async function reindexBatch({ db, log }: Core, size = TEXTS_PER_BATCH): Promise<boolean> {
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
      // A text that cannot be analysed must not stop those behind it.
      terms.push(await indexText(text).catch((error: unknown) => logIndexFailure(log, id, error)))
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

/** Texts that have search terms, and all texts. */
export interface ReindexProgress {
  indexed: number
  total: number
}

/** Counting 1,000,000 texts without terms takes 0.4 s of processor time. */
const progressCache = new TtlCache<ReindexProgress>({ ttlMs: 10_000, maxEntries: 1 })

/** Counts the texts that have their terms; null once all have. */
export async function loadReindexProgress({ pool }: Core): Promise<ReindexProgress | null> {
  const { rows } = await pool.query<{ isRunning: boolean | null }>({
    text: `SELECT ${HAS_UNINDEXED_TEXTS_SQL} AS "isRunning"`,
  })
  if (!rows[0]!.isRunning) return null
  return progressCache.getOrCompute(pool, 'progress', async () => {
    // Every call that is DONE has a text.
    const counted = await pool.query<ReindexProgress>({
      text: `SELECT total, greatest(total - waiting, 0) AS indexed
               FROM (SELECT coalesce(sum(n), 0)::integer AS total FROM ${countersSql('all')} WHERE status = 'DONE') AS done,
                    (SELECT count(*)::integer AS waiting FROM transcripts WHERE search_terms IS NULL) AS texts`,
    })
    return counted.rows[0]!
  })
}
