import { countRecordingSelection } from '../../calls/list/counts.ts'
import { createRecordingSelection } from '../../calls/list/create-selection.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { personReferenceSql } from '../schema.ts'
import { presentShared, SharedStore, visibleSharedCondition } from '../sharing.ts'
import { parseViewFilters, requireFiltersOfDepartment } from './filters.ts'
import { viewMessages } from './messages.ts'
import type { ViewJson } from './schema.ts'
import { MAX_VIEWS } from './values.ts'

interface NewView {
  name: string
  filters: Record<string, string>
  departmentId?: string | null
}

type ViewRow = Omit<ViewJson, 'canChange'>

export const viewStore = new SharedStore<ViewRow>({
  type: 'view',
  table: 'saved_views',
  limit: MAX_VIEWS,
  tooMany: () => viewMessages.tooMany({ limit: MAX_VIEWS }),
  notFound: viewMessages.noView,
  select: selectViews,
})

const VIEW_COLUMNS_SQL = `
  s.id, s.name, s.filters, s.department_id AS "departmentId", d.name AS department,
  ${personReferenceSql('s.person_id')} AS person, ${isoTimeSql('s.created_at')} AS "createdAt"`

/** Lists the views that the actor sees, by name. With a limit, the actor's own come first. */
export async function listViews(
  { pool }: Core,
  actor: PersonActor,
  { limit }: { limit?: number },
): Promise<{ items: ViewJson[] }> {
  const rows = await selectViews(pool, actor, [], { limit })
  return { items: rows.map((row) => presentShared(row, actor)) }
}

async function selectViews(
  sql: Sql,
  actor: PersonActor,
  conditions: SqlConditions,
  { limit, lock = '' }: { limit?: number | undefined; lock?: string } = {},
): Promise<ViewRow[]> {
  const p = new SqlParameters()
  const actorId = p.add(actor.person.id)
  const condition = p.and([...visibleSharedCondition(actor), ...conditions])
  const ownFirst = limit ? `s.person_id <> ${actorId},` : ''
  const { rows } = await sql.query<ViewRow>({
    text: `SELECT ${VIEW_COLUMNS_SQL},
                  EXISTS (SELECT FROM view_subscriptions u
                           WHERE u.view_id = s.id AND u.person_id = ${actorId}) AS "isSubscribed"
             FROM saved_views s LEFT JOIN departments d ON d.id = s.department_id
            WHERE ${condition} ORDER BY ${ownFirst} lower(s.name), s.id ${limit ? `LIMIT ${p.add(limit)}` : ''} ${lock}`,
    values: p.values,
  })
  return rows
}

/** Saves a view. @throws HttpError 400 naming the field, 409 if the actor has too many */
export function createView(core: Core, actor: PersonActor, { filters, ...fields }: NewView): Promise<ViewJson> {
  parseViewFilters(core.config, filters)
  return runInTransaction(core.db, async (sql) => {
    const view = await viewStore.insert(sql, actor, fields, { filters })
    await requireFiltersOfDepartment(core, sql, actor, view)
    return view
  })
}

/** Changes the given fields of a view. @throws HttpError 400 naming the field, 404 */
export function changeView(
  core: Core,
  actor: PersonActor,
  id: string,
  { filters, ...fields }: Partial<NewView>,
): Promise<ViewJson> {
  if (filters) parseViewFilters(core.config, filters)
  return runInTransaction(core.db, async (sql) => {
    const before = await viewStore.lockChangeable(sql, actor, id)
    if (filters) await sql.query({ text: 'UPDATE saved_views SET filters = $2 WHERE id = $1', values: [id, filters] })
    const view = await viewStore.update(sql, actor, before, fields)
    if (filters || fields.departmentId) await requireFiltersOfDepartment(core, sql, actor, view)
    return view
  })
}

/** @throws HttpError 404 */
export const deleteView = ({ db }: Core, actor: PersonActor, id: string): Promise<void> =>
  runInTransaction(db, (sql) => viewStore.delete(sql, actor, id))

const countCache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 1000 })

/** Counts the calls of a view that the actor sees. The result is cached for a minute, until the person's access changes. @throws HttpError 404 */
export async function countView(core: Core, actor: PersonActor, id: string): Promise<{ count: number }> {
  const { filters } = await viewStore.load(core.pool, actor, id)
  const count = await countCache.getOrCompute(core.pool, JSON.stringify([filters, actor.person]), async () => {
    const values = parseViewFilters(core.config, filters)
    const selection = await createRecordingSelection(core, core.pool, actor, values, { transcripts: false })
    return countRecordingSelection(core.pool, selection)
  })
  return { count }
}
