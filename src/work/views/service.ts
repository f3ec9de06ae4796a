import { countRecordingSelection } from '../../calls/list/counts.ts'
import { createRecordingSelection } from '../../calls/list/create-selection.ts'
import { recordAuditChange, diffProperties } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { personReferenceSql } from '../schema.ts'
import { canChangeShared, requireOwnDepartment, visibleSharedCondition } from '../sharing.ts'
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
  return { items: rows.map((row) => presentView(row, actor)) }
}

async function selectViews(
  sql: Sql,
  actor: PersonActor,
  conditions: SqlConditions,
  { limit, lock = '' }: { limit?: number | undefined; lock?: string | undefined } = {},
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

const presentView = (row: ViewRow, actor: PersonActor): ViewJson => ({
  ...row,
  canChange: canChangeShared(actor, { personId: row.person.id, departmentId: row.departmentId }),
})

/** Saves a view. @throws HttpError 400 naming the field, 409 if the actor has too many */
export function createView(
  core: Core,
  actor: PersonActor,
  { name, filters, departmentId }: NewView,
): Promise<ViewJson> {
  parseViewFilters(core.config, filters)
  const id = generateId()
  return runInTransaction(core.db, async (sql) => {
    await requireOwnDepartment(sql, actor, departmentId)
    await requireFiltersOfDepartment(core, sql, actor, { filters, departmentId })
    await requireSpace(sql, actor)
    await insertRow(sql, 'saved_views', {
      id,
      person_id: actor.person.id,
      department_id: departmentId,
      name: normalizeWhitespace(name),
      filters,
    })
    const view = await loadView(sql, actor, id)
    const details = { after: pickAuditFields(view) }
    await recordAuditChange(sql, actor, { action: 'view.create', object: viewAuditObjectOf(view), details })
    return view
  })
}

async function requireSpace(sql: Sql, { person }: PersonActor): Promise<void> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM saved_views WHERE person_id = $1', values: [person.id] })
  if (rowCount! >= MAX_VIEWS) throw conflictError(viewMessages.tooMany({ limit: MAX_VIEWS }))
}

/** Changes the given fields of a view. @throws HttpError 400 naming the field, 404 */
export function changeView(
  core: Core,
  actor: PersonActor,
  id: string,
  { name, filters, departmentId }: Partial<NewView>,
): Promise<ViewJson> {
  if (filters) parseViewFilters(core.config, filters)
  return runInTransaction(core.db, async (sql) => {
    const before = await lockChangeableView(sql, actor, id)
    await requireOwnDepartment(sql, actor, departmentId, before.person)
    const next = {
      filters: filters ?? before.filters,
      departmentId: departmentId === undefined ? before.departmentId : departmentId,
    }
    if (filters || departmentId) await requireFiltersOfDepartment(core, sql, actor, next)
    await sql.query({
      text: `UPDATE saved_views SET name = coalesce($2, name), filters = $3, department_id = $4 WHERE id = $1`,
      values: [id, name === undefined ? null : normalizeWhitespace(name), next.filters, next.departmentId],
    })
    const after = await loadView(sql, actor, id)
    const details = diffProperties(pickAuditFields(before), pickAuditFields(after))
    await recordAuditChange(sql, actor, { action: 'view.change', object: viewAuditObjectOf(after), details })
    return after
  })
}

/** @throws HttpError 404 */
export function deleteView({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(db, async (sql) => {
    const view = await lockChangeableView(sql, actor, id)
    await sql.query({ text: 'DELETE FROM saved_views WHERE id = $1', values: [id] })
    const details = { before: pickAuditFields(view) }
    await recordAuditChange(sql, actor, { action: 'view.delete', object: viewAuditObjectOf(view), details })
  })
}

/** Omits the filters, because they can contain a phone number and the audit log is permanent. */
const pickAuditFields = ({ name, department }: ViewJson) => ({ name, department })
export const viewAuditObjectOf = ({ id, name }: ViewJson) => ({ type: 'view', id, name }) as const

/** Loads a view that the actor sees. @throws HttpError 404 */
export async function loadView(sql: Sql, actor: PersonActor, id: string, lock?: string): Promise<ViewJson> {
  const [row] = await selectViews(sql, actor, toConditions(['s.id = ?::uuid', id]), { lock })
  if (!row) throw notFoundError(viewMessages.noView())
  return presentView(row, actor)
}

async function lockChangeableView(sql: Sql, actor: PersonActor, id: string): Promise<ViewJson> {
  const view = await loadView(sql, actor, id, 'FOR UPDATE OF s')
  if (!view.canChange) throw notFoundError(viewMessages.noView())
  return view
}

const countCache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 1000 })

/** Counts the calls of a view that the actor sees. The result is cached for a minute, until the person's access changes. @throws HttpError 404 */
export async function countView(core: Core, actor: PersonActor, id: string): Promise<{ count: number }> {
  const { filters } = await loadView(core.pool, actor, id)
  const count = await countCache.getOrCompute(core.pool, JSON.stringify([filters, actor.person]), async () => {
    const values = parseViewFilters(core.config, filters)
    const selection = await createRecordingSelection(core, core.pool, actor, values, { transcripts: false })
    return countRecordingSelection(core.pool, selection)
  })
  return { count }
}
