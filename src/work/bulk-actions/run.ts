import type { CallsCore } from '../../calls/core.ts'
import { findPersonActor } from '../../people/auth/actor.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { HttpError } from '../../platform/errors.ts'
import { requireOperationAccess } from '../../platform/http/access.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { runInRequestContext } from '../../platform/lib/log.ts'
import { CALL_ACTIONS, changeCall } from './call-actions.ts'
import { tryLockBulkAction } from './lock.ts'
import { MAX_UNCHANGED_IDS, type BulkAction, type ChangeOutcome, type ChangeOutcomeCounts } from './values.ts'

/** The calls of a batch are changed at once, each with its own connection of the pool. */
const BATCH_SIZE = 8

/** A run of the schedule starts no further batch after this time. */
const RUN_MS = 10_000

interface UnfinishedBulkAction {
  id: string
  state: 'running' | 'cancelled'
  personId: string
  action: BulkAction
  managerName: string | null
  processed: number
  counts: ChangeOutcomeCounts
  unchangedIds: string[]
  /** The ids of the next batch. */
  batch: string[]
  /** The number of calls that are not finished. */
  remaining: number
  address: string | null
  requestId: string | null
  createdAt: Date
}

/** Advances all unfinished bulk actions in turns, so that a long one does not delay the others. */
export async function advanceBulkActions(core: CallsCore, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + RUN_MS
  let isAdvancing = true
  while (isAdvancing && performance.now() < endsAt && !stopping.aborted) {
    isAdvancing = false
    for (const id of await listUnfinished(core.pool)) {
      if (stopping.aborted) return
      if (await advanceBulkAction(core, id, stopping)) isAdvancing = true
    }
  }
}

async function listUnfinished(sql: Sql): Promise<string[]> {
  const text = 'SELECT id FROM bulk_actions WHERE finished_at IS NULL ORDER BY id'
  return (await sql.query<{ id: string }>({ text })).rows.map(({ id }) => id)
}

/**
 * Changes the next batch of calls and stores the progress, or ends a cancelled action. Each change commits on its own. The lock
 * keeps other processes away. If this process dies, its lock ends and another process repeats the batch.
 * @returns false if another process has the lock or the action has ended
 */
function advanceBulkAction(core: CallsCore, id: string, stopping: AbortSignal): Promise<boolean> {
  return runInTransaction(core.db, async (sql) => {
    const bulk = (await tryLockBulkAction(sql, id)) && (await findUnfinished(sql, id))
    if (!bulk) return false
    if (bulk.state === 'cancelled') {
      await finishAction(sql, id)
      return true
    }
    const actor = await findAllowedActor(core, bulk)
    if (!actor) await denyRemainingCalls(sql, bulk)
    else await storeOutcomes(sql, bulk, await changeBatch(core, sql, actor, bulk, stopping))
    return true
  })
}

async function findUnfinished(sql: Sql, id: string): Promise<UnfinishedBulkAction | undefined> {
  const { rows } = await sql.query<UnfinishedBulkAction>({
    text: `SELECT b.id, b.person_id AS "personId", b.action, b.state, b.manager_name AS "managerName", b.processed, b.counts,
                  b.unchanged_ids AS "unchangedIds", b.recording_ids[b.processed + 1 : b.processed + ${BATCH_SIZE}] AS batch,
                  cardinality(b.recording_ids) - b.processed AS remaining, b.address, b.request_id AS "requestId",
                  b.created_at AS "createdAt"
             FROM bulk_actions b WHERE b.id = $1 AND b.finished_at IS NULL`,
    values: [id],
  })
  return rows[0]
}

async function finishAction(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'UPDATE bulk_actions SET finished_at = now() WHERE id = $1', values: [id] })
}

/** Finds the person with their present permissions. @returns undefined if they can no longer make this change */
async function findAllowedActor(
  core: Core,
  { personId, action }: UnfinishedBulkAction,
): Promise<PersonActor | undefined> {
  const actor = await findPersonActor(core, personId)
  if (!actor) return undefined
  try {
    requireOperationAccess(actor, CALL_ACTIONS[action].operation)
    return actor
  } catch (error) {
    if (error instanceof HttpError) return undefined
    throw error
  }
}

async function denyRemainingCalls(sql: Sql, bulk: UnfinishedBulkAction): Promise<void> {
  const { id, counts, remaining } = bulk
  await sql.query({
    text: `UPDATE bulk_actions
              SET counts = $2, unchanged_ids = (unchanged_ids || recording_ids[processed + 1 :])[: ${MAX_UNCHANGED_IDS}],
                  processed = cardinality(recording_ids), ${endSql('true')} WHERE id = $1`,
    values: [id, { ...counts, denied: counts.denied + remaining }],
  })
}

/**
 * Changes the calls of a batch. A call that an earlier run of the batch changed counts as done.
 * @throws an error of a lost database, after all changes ended
 */
async function changeBatch(
  core: CallsCore,
  sql: Sql,
  actor: PersonActor,
  bulk: UnfinishedBulkAction,
  stopping: AbortSignal,
): Promise<ChangeOutcome[]> {
  const { id, batch, address, requestId } = bulk
  const changed = await findChangedCalls(sql, bulk, batch)
  const trace = {
    requestId: requestId ?? id,
    address: address ?? '',
    actionId: id,
    isBulk: true,
    language: 'en',
  } as const
  const results = await runInRequestContext(trace, () =>
    Promise.allSettled(
      batch.map(async (call) => (changed.has(call) ? 'done' : changeCall(core, actor, bulk, call, stopping))),
    ),
  )
  const outcomes = results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  // A process that lost its lock can have finished a change meanwhile.
  const changedMeanwhile = await findChangedCalls(
    sql,
    bulk,
    batch.filter((_, n) => outcomes[n] !== 'done'),
  )
  return outcomes.map((outcome, n) => (changedMeanwhile.has(batch[n]!) ? 'done' : outcome))
}

/** Finds the calls that this bulk action has changed. The audit entry of a change commits with the change. */
async function findChangedCalls(
  sql: Sql,
  { id, personId, createdAt }: UnfinishedBulkAction,
  calls: string[],
): Promise<Set<string>> {
  if (calls.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT object_id AS id FROM audit
            WHERE object_id = ANY($1::text[]) AND at >= $2 AND person_id = $3 AND action_id = $4`,
    values: [calls, createdAt, personId, id],
  })
  return new Set(rows.map((row) => row.id))
}

async function storeOutcomes(sql: Sql, bulk: UnfinishedBulkAction, outcomes: ChangeOutcome[]): Promise<void> {
  const { id, processed, batch, remaining } = bulk
  const counts = { ...bulk.counts }
  for (const outcome of outcomes) counts[outcome]++
  const unchangedIds = batch.filter((_, n) => outcomes[n] !== 'done' && outcomes[n] !== 'absent')
  const isLast = batch.length === remaining
  await sql.query({
    text: `UPDATE bulk_actions SET processed = $2, counts = $3, unchanged_ids = $4, ${endSql('$5::boolean')} WHERE id = $1`,
    values: [
      id,
      processed + batch.length,
      counts,
      [...bulk.unchangedIds, ...unchangedIds].slice(0, MAX_UNCHANGED_IDS),
      isLast,
    ],
  })
}

/** Returns SQL assignments that end an action if the condition is true and nobody stopped it meanwhile. */
const endSql = (isLast: string): string =>
  `state = CASE WHEN ${isLast} AND state = 'running' THEN 'done' ELSE state END,
   finished_at = CASE WHEN ${isLast} THEN now() END`

/** Deletes the bulk actions that ended more than 30 days ago. */
export async function deleteOldBulkActions({ pool }: Core): Promise<void> {
  await pool.query({ text: `DELETE FROM bulk_actions WHERE finished_at < now() - interval '30 days'` })
}
