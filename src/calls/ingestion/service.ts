import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { formatReason, toStoredReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import { withTrailingSlash } from '../../platform/lib/environment-variables.ts'
import { isQueuePaused, setQueuePaused } from '../../platform/queue/pauses.ts'
import type { StepRun } from '../../platform/queue/steps.ts'
import { formatStorageKeyScheme, type ListedStorageObject } from '../../platform/storage/storage.ts'
import { ingestionMessages } from './messages.ts'
import type { IngestionJson } from './schema.ts'

/** A file counts as complete if it has not changed for this time. */
const SETTLE_SECONDS = 5

/** Pause after the first failed attempt. Each further failure doubles it, up to the maximum below. */
const FIRST_RETRY_DELAY_SECONDS = 10
const MAX_RETRY_DELAY_SECONDS = 600

interface IngestionSource {
  source: Config['INGESTION_SOURCE']
  prefix: string
  /** The prefix as a storage key, with a final slash. */
  folder: string
}

/** Returns the watched folder or bucket prefix of the configuration, or undefined if ingestion is off. */
export function resolveIngestionSource(config: Config): IngestionSource | undefined {
  const { INGESTION_SOURCE: source, STORAGE_KIND: storageKind } = config
  if (source === 'none') return undefined
  const [prefix, kind] =
    source === 's3' ? [config.S3_INGEST_PREFIX, 's3' as const] : [config.INGESTION_LOCAL_PREFIX, 'local' as const]
  return {
    source,
    prefix,
    folder: (kind === storageKind ? '' : formatStorageKeyScheme(kind)) + withTrailingSlash(prefix),
  }
}

const PAUSE_NAME = 'ingestion'

/** Returns true if an owner has paused the ingestion. */
export const isIngestionPaused = ({ pool }: Core): Promise<boolean> => isQueuePaused(pool, PAUSE_NAME)

/** Pauses or resumes the ingestion in all processes, and records a change in the audit log. */
export async function setIngestionPaused({ db, log }: Core, actor: Actor, paused: boolean): Promise<void> {
  await runInTransaction(db, async (sql) => {
    const action = paused ? 'ingestion.pause' : 'ingestion.resume'
    if (await setQueuePaused(sql, PAUSE_NAME, paused)) await recordAuditChange(sql, actor, { action })
  })
  log.info(paused ? 'the ingestion is paused' : 'the ingestion is resumed')
}

/** Loads the state of the ingestion for the API, with the counts and the last error of the last run. */
export async function loadIngestionState(core: Core): Promise<IngestionJson> {
  const ingestionSource = resolveIngestionSource(core.config)
  const { rows } = await core.pool.query<
    {
      lastRunAt: Date | null
      lastError: string | null
      failed: number
      messageJson?: StoredReason | null
    } & IngestionCounts
  >({
    text: `SELECT last_run_at AS "lastRunAt", found, registered, failed, last_error AS "lastError", message_json AS "messageJson"
             FROM ingestion_runs WHERE source = $1 AND prefix = $2`,
    values: [ingestionSource?.source, ingestionSource?.prefix],
  })
  const { messageJson, ...state } = rows[0] ?? { lastRunAt: null, found: 0, registered: 0, failed: 0, lastError: null }
  return {
    source: core.config.INGESTION_SOURCE,
    prefix: ingestionSource?.prefix ?? null,
    paused: await isIngestionPaused(core),
    ...state,
    lastError: formatReason(state.lastError, messageJson),
    lastRunAt: state.lastRunAt && state.lastRunAt.toISOString(),
  }
}

/** Counts of one run: files in the source, and how many of them are calls now. */
export interface IngestionCounts {
  found: number
  registered: number
}

/** Ends a complete run. Deletes the rows of missing files and stores the counts. */
export async function finishIngestionRun(
  core: Core,
  sql: Sql,
  { key, token }: StepRun,
  counts: IngestionCounts = { found: 0, registered: 0 },
): Promise<void> {
  await sql.query({
    text: 'DELETE FROM ingestion_files WHERE starts_with(storage_key, $1) AND run_token <> $2',
    values: [resolveIngestionSource(core.config)!.folder, token],
  })
  await sql.query({
    text: `UPDATE ingestion_runs
              SET found = $4, registered = $5,
                  failed = (SELECT count(*) FROM ingestion_files WHERE run_token = $3 AND fault IS NOT NULL),
                  (last_error, message_json) = (SELECT storage_key || ': ' || fault, message_json FROM ingestion_files
                                 WHERE run_token = $3 AND fault IS NOT NULL ORDER BY failed_at DESC LIMIT 1)
            WHERE source = $1 AND prefix = $2 AND run_token = $3`,
    values: [key.source, key.prefix, token, counts.found, counts.registered],
  })
}

/** A file of the ingestion source that is due for an attempt. */
export interface DueIngestionFile {
  key: string
  /** The reason of the last failure, or null. */
  fault: string | null
}

/**
 * Stores the audio files of a page and resets the attempts of changed files.
 * @returns how many files are recordings already, and the complete files that are due
 */
export async function recordScannedIngestionFiles(
  core: Core,
  token: string,
  page: ListedStorageObject[],
): Promise<{ known: number; due: DueIngestionFile[] }> {
  const keys = page.map(({ key }) => key)
  const { rows: known } = await core.pool.query<{ key: string }>({
    text: 'SELECT storage_key AS key FROM recordings WHERE storage_key = ANY($1)',
    values: [keys],
  })
  const { rows } = await core.pool.query<DueIngestionFile & { due: boolean }>({
    // Skip a file with a planned removal, because its recording was deleted.
    text: `INSERT INTO ingestion_files AS f (storage_key, version, run_token, next_attempt_at)
           SELECT l.key, l.version, $3, now() + make_interval(secs => $4)
             FROM unnest($1::text[], $2::text[]) AS l (key, version)
            WHERE NOT l.key = ANY($5) AND NOT EXISTS (SELECT FROM file_removals r WHERE r.storage_key = l.key)
           ON CONFLICT (storage_key) DO UPDATE
              SET run_token = excluded.run_token, version = excluded.version,
                  attempts = CASE WHEN f.version = excluded.version THEN f.attempts ELSE 0 END,
                  fault = CASE WHEN f.version = excluded.version THEN f.fault END,
                  next_attempt_at = CASE WHEN f.version = excluded.version THEN f.next_attempt_at
                                         ELSE excluded.next_attempt_at END
           RETURNING storage_key AS key, fault, next_attempt_at <= now() AS due`,
    values: [keys, page.map(({ version }) => version), token, SETTLE_SECONDS, known.map(({ key }) => key)],
  })
  return { known: known.length, due: rows.filter(({ due }) => due) }
}

/** Deletes the row of a file that is registered as a call now. */
export async function deleteIngestionFile(core: Core, key: string): Promise<void> {
  await core.pool.query({ text: 'DELETE FROM ingestion_files WHERE storage_key = $1', values: [key] })
}

/** Records why a file could not be registered, and schedules a retry with growing pauses. */
export async function recordIngestionFileError(core: Core, key: string, reason: Message): Promise<void> {
  await core.pool.query({
    text: `UPDATE ingestion_files
              SET attempts = attempts + 1, fault = $2, message_json = $5,
                  failed_at = CASE WHEN fault = $2 THEN failed_at ELSE now() END,
                  next_attempt_at = now() + make_interval(secs => least($3 * 2 ^ least(attempts, 20), $4))
            WHERE storage_key = $1`,
    values: [
      key,
      reason.text,
      FIRST_RETRY_DELAY_SECONDS,
      MAX_RETRY_DELAY_SECONDS,
      toStoredReason(ingestionMessages.file({ file: key, rule: reason })),
    ],
  })
}
