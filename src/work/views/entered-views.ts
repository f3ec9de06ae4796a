import { selectMatchingCalls, type TimedCall } from '../../calls/list/matching-calls.ts'
import { findPersonActor } from '../../people/auth/actor.ts'
import type { Core } from '../../platform/core.ts'
import { isDatabaseDown, isDeadlock, runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { HttpError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { notifyAboutEnteredCalls } from '../notifications/causes.ts'
import { PERSON_SEES_SHARED_SQL } from '../sharing.ts'
import { parseViewFilters } from './filters.ts'

/** Lets the schedule compare a changed call with the subscribed views. Skips calls that are older than all subscriptions. */
export async function insertViewCandidate(sql: Sql, recordingId: string): Promise<void> {
  await sql.query({
    text: `INSERT INTO view_candidates (recording_id)
           SELECT r.id FROM recordings r
            WHERE r.id = $1 AND EXISTS (SELECT FROM view_subscriptions u WHERE u.created_at <= r.call_at)`,
    values: [recordingId],
  })
}

/**
 * Compares changed calls with the subscribed views and notifies the subscribers. Each batch is one transaction, so that a
 * crash loses and repeats nothing.
 */
export async function notifyAboutEnteredViews(core: Core, stopping?: AbortSignal): Promise<void> {
  let hasMore = true
  while (hasMore) hasMore = (await processBatch(core)) && stopping?.aborted !== true
}

const MAX_BATCH = 200

/** @returns true if there can be more calls */
function processBatch(core: Core): Promise<boolean> {
  return runInTransaction(core.db, async (sql) => {
    const ids = await takeCandidates(sql)
    if (ids.length === 0) return false
    const { rows: calls } = await sql.query<TimedCall>({
      text: 'SELECT id, call_at AS "callAt" FROM recordings WHERE id = ANY($1::uuid[])',
      values: [ids],
    })
    await notifySubscribers(core, sql, calls)
    return ids.length === MAX_BATCH
  })
}

/** Deletes the candidates of a batch. Another process skips them. */
async function takeCandidates(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `DELETE FROM view_candidates
            WHERE id IN (SELECT id FROM view_candidates ORDER BY id LIMIT ${MAX_BATCH} FOR UPDATE SKIP LOCKED)
           RETURNING recording_id AS id`,
  })
  return rows.map(({ id }) => id)
}

interface Subscription {
  viewId: string
  personId: string
  filters: Record<string, string>
  createdAt: Date
}

/** Evaluates the filters as each subscriber, so that their notifications are exactly the calls of their list. */
async function notifySubscribers(core: Core, sql: Sql, calls: TimedCall[]): Promise<void> {
  const actors = new Map<string, PersonActor | undefined>()
  for (const subscription of await listSubscriptions(sql)) {
    const { personId, createdAt } = subscription
    const newCalls = calls.filter(({ callAt }) => callAt >= createdAt)
    if (newCalls.length === 0) continue
    if (!actors.has(personId)) actors.set(personId, await findPersonActor(core, personId))
    const actor = actors.get(personId)
    if (actor) await notifyOrSkip(core, sql, actor, subscription, newCalls)
  }
}

async function listSubscriptions(sql: Sql): Promise<Subscription[]> {
  const { rows } = await sql.query<Subscription>({
    text: `SELECT u.view_id AS "viewId", u.person_id AS "personId", s.filters, u.created_at AS "createdAt"
             FROM view_subscriptions u JOIN saved_views s ON s.id = u.view_id JOIN people p ON p.id = u.person_id
            WHERE p.active AND ${PERSON_SEES_SHARED_SQL} ORDER BY u.person_id, u.view_id`,
  })
  return rows
}

/** Skips a subscription that fails, such as a search beyond the statement timeout, so that it stops no other. */
async function notifyOrSkip(
  core: Core,
  sql: Sql,
  actor: PersonActor,
  subscription: Subscription,
  calls: TimedCall[],
): Promise<void> {
  await sql.query({ text: 'SAVEPOINT subscription' })
  try {
    await notifySubscriber(core, sql, actor, subscription, calls)
  } catch (error) {
    if (isDatabaseDown(error) || isDeadlock(error)) throw error
    await sql.query({ text: 'ROLLBACK TO SAVEPOINT subscription' })
    const { viewId, personId } = subscription
    core.log.error({ err: error, viewId, personId }, 'a subscription of a view failed and is skipped for these calls')
  }
  await sql.query({ text: 'RELEASE SAVEPOINT subscription' })
}

async function notifySubscriber(
  core: Core,
  sql: Sql,
  actor: PersonActor,
  { viewId, personId, filters }: Subscription,
  calls: TimedCall[],
): Promise<void> {
  const values = parseStoredFilters(core, filters)
  const ids = values && (await selectMatchingCalls(core, sql, actor, values, calls))
  if (ids && ids.length > 0) await notifyAboutEnteredCalls(sql, { recordingIds: ids, viewId, personId })
}

/** Returns undefined for filters that a later release no longer accepts. */
function parseStoredFilters({ config }: Core, filters: Record<string, string>) {
  try {
    return parseViewFilters(config, filters)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return undefined
  }
}
