import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import { asFolder } from '../lib/variables.ts'
import { foreignScheme, type ListedObject } from '../storage/index.ts'

/** How often the prefix is looked at, in seconds. */
const INTERVAL_SECONDS = 10

/** How long a file must stay as it is before it counts as whole, in seconds. */
const SETTLE_SECONDS = 5

/** How long a run stands without a sign of life, in seconds. */
const LEASE_SECONDS = 120

/** Pauses after an attempt that failed: doubled each time, from the first to the longest, in seconds. */
const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 600

/** Where the intake takes its files from. */
export interface Intake {
  source: Config['INGESTION_SOURCE']
  /** As configured. */
  prefix: string
  /** As a folder of the storage's keys. */
  folder: string
}

/** A run of the intake, which is this process's until somebody takes its token away. */
export interface Run extends Intake {
  token: string
}

/** The intake that the configuration asks for; undefined for none. */
export function intakeOf(config: Config): Intake | undefined {
  const { INGESTION_SOURCE: source, STORAGE_KIND: kept } = config
  if (source === 'none') return undefined
  const [prefix, kind] =
    source === 's3' ? [config.S3_INGEST_PREFIX, 's3' as const] : [config.INGESTION_LOCAL_PREFIX, 'local' as const]
  return { source, prefix, folder: (kind === kept ? '' : foreignScheme(kind)) + asFolder(prefix) }
}

/** The state of the intake, as the API answers it. */
export async function describeIngestion(core: Core) {
  const intake = intakeOf(core.config)
  const { rows } = await pool(core.db).query<{ lastRunAt: Date | null } & Found & { lastError: string | null }>({
    text: `SELECT last_run_at AS "lastRunAt", found, registered, failed, last_error AS "lastError"
             FROM ingestion_runs WHERE source = $1 AND prefix = $2`,
    values: [intake?.source, intake?.prefix],
  })
  const state = rows[0] ?? { lastRunAt: null, found: 0, registered: 0, failed: 0, lastError: null }
  return {
    source: core.config.INGESTION_SOURCE,
    prefix: intake?.prefix ?? null,
    ...state,
    lastRunAt: state.lastRunAt && state.lastRunAt.toISOString(),
  }
}

/** What a run found. */
export interface Found {
  found: number
  registered: number
  failed: number
}

/** Begins a run, unless one is under way somewhere or the last was just now. */
export async function claimRun(core: Core, intake: Intake): Promise<Run | undefined> {
  const token = randomUUID()
  const { rowCount } = await pool(core.db).query({
    text: `INSERT INTO ingestion_runs AS r (source, prefix, run_token, due_at, lease_until)
           VALUES ($1, $2, $3, now() + make_interval(secs => $4), now() + make_interval(secs => $5))
           ON CONFLICT (source, prefix) DO UPDATE
              SET run_token = excluded.run_token, due_at = excluded.due_at, lease_until = excluded.lease_until
            WHERE r.due_at <= now() AND (r.lease_until IS NULL OR r.lease_until < now())`,
    values: [intake.source, intake.prefix, token, INTERVAL_SECONDS, LEASE_SECONDS],
  })
  return rowCount === 1 ? { ...intake, token } : undefined
}

/** Shows that the run goes on. @returns false where another one has begun meanwhile */
export async function renewRun(core: Core, { source, prefix, token }: Run): Promise<boolean> {
  const { rowCount } = await pool(core.db).query({
    text: `UPDATE ingestion_runs SET lease_until = now() + make_interval(secs => $4)
            WHERE source = $1 AND prefix = $2 AND run_token = $3`,
    values: [source, prefix, token, LEASE_SECONDS],
  })
  return rowCount === 1
}

/** Ends a run that saw everything: files that are gone are forgotten, and what was found is there to be read. */
export async function endRun(core: Core, run: Run, { found, registered }: Omit<Found, 'failed'>): Promise<void> {
  await pool(core.db).query({
    text: 'DELETE FROM ingestion_files WHERE starts_with(storage_key, $1) AND run_token <> $2',
    values: [run.folder, run.token],
  })
  await pool(core.db).query({
    text: `UPDATE ingestion_runs
              SET lease_until = NULL, last_run_at = now(), found = $4, registered = $5,
                  failed = (SELECT count(*) FROM ingestion_files WHERE run_token = $3 AND fault IS NOT NULL),
                  last_error = (SELECT storage_key || ': ' || fault FROM ingestion_files
                                 WHERE run_token = $3 AND fault IS NOT NULL ORDER BY failed_at DESC LIMIT 1)
            WHERE source = $1 AND prefix = $2 AND run_token = $3`,
    values: [run.source, run.prefix, run.token, found, registered],
  })
}

/** Ends a run that could not go on; what the last whole run found stands. */
export async function breakRun(core: Core, run: Run, reason: string): Promise<void> {
  await pool(core.db).query({
    text: `UPDATE ingestion_runs SET lease_until = NULL, last_run_at = now(), last_error = $4
            WHERE source = $1 AND prefix = $2 AND run_token = $3`,
    values: [run.source, run.prefix, run.token, reason],
  })
}

/** A file whose turn it is. */
export interface DueFile {
  key: string
  /** What it could not be registered for last time. */
  fault: string | null
}

/**
 * Notes the audio files of a page as seen.
 * @returns how many are recordings already, and those that have stopped growing and are to be registered now
 */
export async function seeFiles(core: Core, run: Run, page: ListedObject[]): Promise<{ known: number; due: DueFile[] }> {
  const keys = page.map(({ key }) => key)
  const { rows: known } = await pool(core.db).query<{ key: string }>({
    text: 'SELECT storage_key AS key FROM recordings WHERE storage_key = ANY($1)',
    values: [keys],
  })
  const { rows } = await pool(core.db).query<DueFile & { due: boolean }>({
    // A file that is to be removed is that of a recording just deleted.
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
    values: [keys, page.map(({ version }) => version), run.token, SETTLE_SECONDS, known.map(({ key }) => key)],
  })
  return { known: known.length, due: rows.filter(({ due }) => due) }
}

/** Forgets a file that is a recording now. */
export async function forgetFile(core: Core, key: string): Promise<void> {
  await pool(core.db).query({ text: 'DELETE FROM ingestion_files WHERE storage_key = $1', values: [key] })
}

/** Notes why a file could not be registered; it is tried again later, less and less often. */
export async function noteFault(core: Core, key: string, fault: string): Promise<void> {
  await pool(core.db).query({
    text: `UPDATE ingestion_files
              SET attempts = attempts + 1, fault = $2,
                  failed_at = CASE WHEN fault = $2 THEN failed_at ELSE now() END,
                  next_attempt_at = now() + make_interval(secs => least($3 * 2 ^ least(attempts, 20), $4))
            WHERE storage_key = $1`,
    values: [key, fault, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS],
  })
}
