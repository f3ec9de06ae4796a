import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleSharedCondition } from '../sharing.ts'
import { viewMessages } from './messages.ts'
import { viewStore } from './service.ts'
import { MAX_SUBSCRIPTIONS } from './values.ts'

/** Subscribes the actor to a view that they see; again changes nothing. @throws HttpError 404, 409 for too many */
export function subscribeToView({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(db, async (sql) => {
    const view = await viewStore.load(sql, actor, id)
    if (view.isSubscribed) return
    await requireSpace(sql, actor)
    await sql.query({
      text: 'INSERT INTO view_subscriptions (view_id, person_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [view.id, actor.person.id],
    })
    await recordAuditChange(sql, actor, { action: 'view.subscribe', object: viewStore.auditObjectOf(view) })
  })
}

/** Counts only views that the actor sees, because they cannot unsubscribe from others. */
async function requireSpace(sql: Sql, actor: PersonActor): Promise<void> {
  const p = new SqlParameters()
  const { rowCount } = await sql.query({
    text: `SELECT FROM view_subscriptions u JOIN saved_views s ON s.id = u.view_id
            WHERE u.person_id = ${p.add(actor.person.id)} AND ${p.and(visibleSharedCondition(actor))}`,
    values: p.values,
  })
  if (rowCount! >= MAX_SUBSCRIPTIONS)
    throw conflictError(viewMessages.tooManySubscriptions({ limit: MAX_SUBSCRIPTIONS }))
}

/** Unsubscribes the actor; again changes nothing. @throws HttpError 404 */
export function unsubscribeFromView({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(db, async (sql) => {
    const view = await viewStore.load(sql, actor, id)
    if (!view.isSubscribed) return
    await sql.query({
      text: 'DELETE FROM view_subscriptions WHERE view_id = $1 AND person_id = $2',
      values: [view.id, actor.person.id],
    })
    await recordAuditChange(sql, actor, { action: 'view.unsubscribe', object: viewStore.auditObjectOf(view) })
  })
}
