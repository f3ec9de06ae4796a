import type { Sql } from '../db/sql.ts'
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Core } from '../core.ts'
import { retryDeadlocks, runInTransaction } from '../db/db.ts'
import type { Message } from '../lib/messages.ts'
import { toStoredReason } from '../lib/stored-reason.ts'
import { startLeaseRenewal } from './heartbeat.ts'

/** Work repeated page by page, stored as a row with the step columns. One process runs it, under a lease. */
export interface Step<Cursor = unknown> {
  name: string
  table: string
  /** The key columns of its row; undefined if the configuration needs no such work. */
  keyOf(config: Config): Record<string, string> | undefined
  /** From the start of a run to that of the next. */
  intervalSeconds: number
  /** How long a run is valid without a heartbeat. */
  leaseSeconds: number
  /** Whether the table has a column `cursor` (jsonb), so that a run continues where the last one was interrupted. */
  keepsCursor?: boolean
  /** Whether other code inserts the rows of the table; by default the first run inserts its row. */
  hasRow?: boolean
  /** Whether it can run now; checked by the schedule. */
  isReady?(core: Core): Promise<boolean>
  /** Does the work from the run's cursor on; each yielded page is committed before the next one begins. */
  pages(core: Core, run: StepRun<Cursor>): AsyncIterable<StepPage<Cursor>>
  /** Stores the result of a whole run, in the transaction that ends it. `cursor` is that of the last page. */
  end?(core: Core, sql: Sql, run: StepRun<Cursor>, cursor: Cursor | undefined): Promise<void>
  /** The stored reason of a failed run. */
  reasonOf(error: unknown): Message
  /** Stores the consequences, in the transaction that ends the run. */
  failed?(core: Core, sql: Sql, run: StepRun<Cursor>, error: unknown): Promise<void>
  /** Whether a failed run is no failure for the schedule. */
  isHarmless?(error: unknown): boolean
}

/** A finished page: the writes, in one transaction with the cursor after it. */
export interface StepPage<Cursor> {
  cursor: Cursor
  commit?: (sql: Sql) => Promise<void>
}

/** A running run. */
export interface StepRun<Cursor = unknown> {
  key: Record<string, string>
  token: string
  /** Where the last run was interrupted; undefined at the beginning. */
  cursor: Cursor | undefined
  /** Aborted when another process has taken the run over, or this one stops. */
  signal: AbortSignal
  /** Renews the lease. @throws RunLostError */
  renewLease: () => Promise<void>
}

/** Another process has taken over the run, so this one must not write. */
export class RunLostError extends Error {}

/**
 * Runs a step once, unless another process runs it or the last run began just now. A run that another process left unfinished
 * continues at once. `stopping` ends the run early, for another process to continue. @throws the error of the run
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
    onTrouble: ({ message: reason }) => core.log.warn({ step: step.name, reason }, 'no heartbeat'),
    lostBy: () => new RunLostError(),
  })
  // Not AbortSignal.any(): in Node 20 its result stays attached to `stopping` until the process ends.
  const abortController = new AbortController()
  const stop = () => abortController.abort()
  stopping.addEventListener('abort', stop)
  renewal.lost.addEventListener('abort', () => abortController.abort(renewal.lost.reason))
  if (stopping.aborted) stop()
  const keep = async () => {
    abortController.signal.throwIfAborted()
    if (!(await renewRun(core.pool, holder))) throw new RunLostError()
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
      if (!(await endRun(sql, holder, null))) throw new RunLostError()
      await step.end?.(core, sql, run, last)
    })
  } catch (error) {
    renewal.stop()
    if (error instanceof RunLostError || run.signal.reason instanceof RunLostError) return
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

/** @throws RunLostError */
async function commitPage<Cursor>(core: Core, holder: RunHolder, { cursor, commit }: StepPage<Cursor>): Promise<void> {
  const store = async (sql: Sql) => {
    if (!(await renewRun(sql, holder, cursor))) throw new RunLostError()
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

/** Renews the lease of a run, and stores its cursor if given. @returns whether it is still the holder's */
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

/** Releases a run unchanged; another process continues it. Without its token, no heartbeat renews it. */
async function releaseRun(core: Core, holder: RunHolder, error: unknown): Promise<void> {
  const { name, message: reason } = error as Error
  if (name !== 'AbortError') core.log.warn({ step: holder.step.name, reason }, 'a step broke while it was stopped')
  await updateRun(core.pool, holder, `run_token = NULL, lease_until = now() - interval '1 ms'`, []).catch(
    ({ message: reason }: Error) => core.log.warn({ step: holder.step.name, reason }, 'a step keeps its lease'),
  )
}

/** Ends a run; a failed one leaves its cursor to the next. */
async function endRun(sql: Sql, holder: RunHolder, reason: Message | null): Promise<boolean> {
  const set = 'lease_until = NULL, last_run_at = now(), last_error = $1, message_json = $2'
  const isComplete = reason === null && holder.step.keepsCursor
  const values = reason ? [reason.text, toStoredReason(reason)] : [null, null]
  return updateRun(sql, holder, isComplete ? `${set}, cursor = NULL` : set, values)
}

/** Writes nothing for an ended run: a late heartbeat would otherwise renew its lease. */
async function updateRun(sql: Sql, { step, key, token }: RunHolder, set: string, values: unknown[]): Promise<boolean> {
  const where = ['run_token', ...Object.keys(key)].map((column, n) => `${column} = $${values.length + n + 1}`)
  const { rowCount } = await sql.query({
    text: `UPDATE ${step.table} SET ${set} WHERE ${where.join(' AND ')} AND lease_until IS NOT NULL`,
    values: [...values, token, ...Object.values(key)],
  })
  return rowCount === 1
}
