import type { Sql } from '../db/sql.ts'
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Core } from '../core.ts'
import { retryDeadlocks, runInTransaction } from '../db/db.ts'
import type { Message } from '../lib/messages.ts'
import { toStoredReason } from '../lib/stored-reason.ts'
import { startLeaseRenewal } from './heartbeat.ts'

/**
 * Declares periodic work that is done page by page. Its state is a row with StepColumns, and a lease lets only one process run
 * the step.
 */
export interface Step<Cursor = unknown> {
  name: string
  table: string
  /** Returns the key columns of the row; undefined if the configuration does not need the step. */
  keyOf(config: Config): Record<string, string> | undefined
  /** Seconds from the start of a run to the earliest start of the next. */
  intervalSeconds: number
  /** Seconds that a run stays valid without a heartbeat. */
  leaseSeconds: number
  /** True if the table has a jsonb column `cursor`, so that a run continues where the last one failed or was stopped. */
  keepsCursor?: boolean
  /** True if other code inserts the row. By default, the first run inserts it. */
  hasRow?: boolean
  /** Returns false if the step cannot run now. Only the schedule calls this; runStep() does not. */
  isReady?(core: Core): Promise<boolean>
  /** Does the work from the cursor of the run on. Each yielded page is committed before the next one begins. */
  pages(core: Core, run: StepRun<Cursor>): AsyncIterable<StepPage<Cursor>>
  /**
   * Stores the result of a complete run in its final transaction. @param cursor cursor of the last page; that of the run if there
   * was no page
   */
  end?(core: Core, sql: Sql, run: StepRun<Cursor>, cursor: Cursor | undefined): Promise<void>
  /** Returns the reason that a failed run stores. */
  reasonOf(error: unknown): Message
  /** Stores the consequences of a failed run in its final transaction. */
  failed?(core: Core, sql: Sql, run: StepRun<Cursor>, error: unknown): Promise<void>
  /** Returns true if runStep() stores this error of a run but does not throw it. */
  isHarmless?(error: unknown): boolean
}

/** Represents a finished page. `commit` and the new cursor are stored in one transaction. */
export interface StepPage<Cursor> {
  cursor: Cursor
  commit?: (sql: Sql) => Promise<void>
}

/** Represents one run of a step in this process. */
export interface StepRun<Cursor = unknown> {
  key: Record<string, string>
  token: string
  /** Position where the last run failed or was stopped; undefined for a new start. */
  cursor: Cursor | undefined
  /** Aborts when another process takes over the run or this process stops. */
  signal: AbortSignal
  /** Renews the lease during a long page. @throws StepRunLostError, or the reason of `signal` if it has aborted */
  renewLease: () => Promise<void>
}

/** Signals that another process took over the run, so this process can no longer write. */
export class StepRunLostError extends Error {}

/**
 * Runs a step once if it is due and no other process runs it. A run that was stopped or whose process died is due when its lease
 * ends.
 * @param stopping ends the run early and its lease with it; the next call continues the run
 * @throws the error of the run, unless isHarmless() accepts it. A stopped or lost run throws nothing
 */
export async function runStep<Cursor>(
  core: Core,
  step: Step<Cursor>,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  const key = step.keyOf(core.config)
  const claimed = key && !stopping.aborted && (await claimRun<Cursor>(core.pool, step, key))
  if (!claimed) return
  const holder = { step, key, token: claimed.token }
  const renewal = startLeaseRenewal(step.leaseSeconds, {
    renew: () => renewRun(core.pool, holder),
    onTrouble: ({ message: reason }) => core.log.warn({ step: step.name, reason }, 'the heartbeat failed'),
    lostBy: () => new StepRunLostError(),
  })
  // Do not use AbortSignal.any(): in Node 20, its result stays attached to `stopping` until the process ends.
  const abortController = new AbortController()
  const stop = () => abortController.abort()
  stopping.addEventListener('abort', stop)
  renewal.lost.addEventListener('abort', () => abortController.abort(renewal.lost.reason))
  if (stopping.aborted) stop()
  const keep = async () => {
    abortController.signal.throwIfAborted()
    if (!(await renewRun(core.pool, holder))) throw new StepRunLostError()
  }
  const run: StepRun<Cursor> = { key, ...claimed, signal: abortController.signal, renewLease: keep }
  try {
    let last = run.cursor
    run.signal.throwIfAborted()
    for await (const page of step.pages(core, run)) {
      await commitPage(core, holder, page)
      last = page.cursor
      run.signal.throwIfAborted()
    }
    await runInTransaction(core.db, async (sql) => {
      if (!(await endRun(sql, holder, null))) throw new StepRunLostError()
      await step.end?.(core, sql, run, last)
    })
  } catch (error) {
    renewal.stop()
    if (error instanceof StepRunLostError || run.signal.reason instanceof StepRunLostError) return
    if (stopping.aborted) return releaseRun(core, holder, error)
    await runInTransaction(core.db, async (sql) => {
      if (await endRun(sql, holder, step.reasonOf(error))) await step.failed?.(core, sql, run, error)
    })
    if (!step.isHarmless?.(error)) throw error
  } finally {
    renewal.stop()
    stopping.removeEventListener('abort', stop)
  }
}

/** Commits a page and its cursor in one transaction. @throws StepRunLostError */
async function commitPage<Cursor>(core: Core, holder: RunHolder, { cursor, commit }: StepPage<Cursor>): Promise<void> {
  const store = async (sql: Sql) => {
    if (!(await renewRun(sql, holder, cursor))) throw new StepRunLostError()
    await commit?.(sql)
  }
  await retryDeadlocks(() => runInTransaction(core.db, store))
}

interface RunHolder {
  step: Pick<Step, 'name' | 'table' | 'leaseSeconds' | 'keepsCursor'>
  key: Record<string, string>
  token: string
}

async function claimRun<Cursor>(
  sql: Sql,
  { table, intervalSeconds, leaseSeconds, keepsCursor, hasRow }: Step<Cursor>,
  key: Record<string, string>,
): Promise<{ token: string; cursor: Cursor | undefined } | undefined> {
  const token = randomUUID()
  const columns = Object.keys(key)
  const isFreeSql = `CASE WHEN r.lease_until IS NULL THEN r.due_at <= now() ELSE r.lease_until < now() END`
  const [due, lease] = ['now() + make_interval(secs => $2)', 'now() + make_interval(secs => $3)']
  const claim = hasRow
    ? `UPDATE ${table} AS r SET run_token = $1, due_at = ${due}, lease_until = ${lease}
        WHERE ${columns.map((column, n) => `${column} = $${n + 4}`).join(' AND ')} AND ${isFreeSql}`
    : `INSERT INTO ${table} AS r (run_token, due_at, lease_until, ${columns.join(', ')})
       VALUES ($1, ${due}, ${lease}, ${columns.map((_, n) => `$${n + 4}`).join(', ')})
       ON CONFLICT (${columns.join(', ')}) DO UPDATE
          SET run_token = excluded.run_token, due_at = excluded.due_at, lease_until = excluded.lease_until
        WHERE ${isFreeSql}`
  const { rows } = await sql.query<{ cursor?: Cursor | null }>({
    text: `${claim} RETURNING ${keepsCursor ? 'cursor' : 'true'}`,
    values: [token, intervalSeconds, leaseSeconds, ...Object.values(key)],
  })
  return rows[0] && { token, cursor: rows[0].cursor ?? undefined }
}

/** Renews the lease of a run and stores the cursor, if given. @returns false if the run is lost */
async function renewRun(sql: Sql, holder: RunHolder, cursor?: unknown): Promise<boolean> {
  const { step } = holder
  const storesCursor = step.keepsCursor && cursor !== undefined
  return updateRun(
    sql,
    holder,
    `lease_until = now() + make_interval(secs => $1)${storesCursor ? ', cursor = $2::jsonb' : ''}`,
    [step.leaseSeconds, ...(storesCursor ? [JSON.stringify(cursor)] : [])],
  )
}

/** Releases a run, so that another process continues it. Clearing the token stops late heartbeats. */
async function releaseRun(core: Core, holder: RunHolder, error: unknown): Promise<void> {
  const { name, message: reason } = error as Error
  if (name !== 'AbortError') core.log.warn({ step: holder.step.name, reason }, 'a step failed while it was stopped')
  await updateRun(core.pool, holder, `run_token = NULL, lease_until = now() - interval '1 ms'`, []).catch(
    ({ message: reason }: Error) =>
      core.log.warn({ step: holder.step.name, reason }, 'the lease of a step could not be released'),
  )
}

/** Ends a run. A failed run keeps its cursor for the next one. @returns false if the run is lost */
async function endRun(sql: Sql, holder: RunHolder, reason: Message | null): Promise<boolean> {
  const set = 'lease_until = NULL, last_run_at = now(), last_error = $1, message_json = $2'
  const isComplete = reason === null && holder.step.keepsCursor
  const values = reason ? [reason.text, toStoredReason(reason)] : [null, null]
  return updateRun(sql, holder, isComplete ? `${set}, cursor = NULL` : set, values)
}

/**
 * Updates the row only while the run has a lease; otherwise a late heartbeat revives an ended run. @returns false if the run is
 * lost
 */
async function updateRun(sql: Sql, { step, key, token }: RunHolder, set: string, values: unknown[]): Promise<boolean> {
  const where = ['run_token', ...Object.keys(key)].map((column, n) => `${column} = $${values.length + n + 1}`)
  const { rowCount } = await sql.query({
    text: `UPDATE ${step.table} SET ${set} WHERE ${where.join(' AND ')} AND lease_until IS NOT NULL`,
    values: [...values, token, ...Object.values(key)],
  })
  return rowCount === 1
}
