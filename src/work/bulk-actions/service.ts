import { listRecordingIds } from '../../calls/list/ids.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import { listPage, type PageRequest, type ResultPage } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import { requireOperationAccess } from '../../platform/http/access.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { fieldRuleMessages } from '../../platform/http/messages.ts'
import { generateId, toUniqueIds } from '../../platform/lib/ids.ts'
import { getCurrentRequestTrace, runInRequestContext } from '../../platform/lib/log.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { parseViewFilters } from '../views/filters.ts'
import { CALL_ACTIONS } from './call-actions.ts'
import { bulkActionMessages } from './messages.ts'
import type { BulkActionJson } from './schema.ts'
import { MAX_RUNNING_BULK_ACTIONS, EMPTY_OUTCOME_COUNTS, MAX_BULK_ACTION_CALLS, type BulkAction } from './values.ts'

interface NewBulkAction {
  action: BulkAction
  filters?: Record<string, string>
  createdUntil?: string
  ids?: string[]
  managerName?: string | null
}

const COLUMNS_SQL = `
  b.id, b.action, b.manager_name AS "managerName", b.state, cardinality(b.recording_ids) AS total, b.processed, b.counts,
  b.unchanged_ids AS "unchangedIds", ${isoTimeSql('b.created_at')} AS "createdAt",
  ${isoTimeSql('b.finished_at')} AS "finishedAt"`

/** Lists the bulk actions of the actor, newest first. */
export const listBulkActions = (
  { pool }: Core,
  { person }: PersonActor,
  page: PageRequest,
): Promise<ResultPage<BulkActionJson>> =>
  listPage(
    pool,
    {
      select: COLUMNS_SQL,
      from: 'bulk_actions b WHERE b.person_id = $1',
      order: 'b.id DESC',
      values: [person.id],
    },
    page,
  )

/** Loads a bulk action of the actor. @throws HttpError 404 */
export async function loadBulkAction(sql: Sql, { person }: PersonActor, id: string): Promise<BulkActionJson> {
  const { rows } = await sql.query<BulkActionJson>({
    text: `SELECT ${COLUMNS_SQL} FROM bulk_actions b WHERE b.id = $1 AND b.person_id = $2`,
    values: [id, person.id],
  })
  if (!rows[0]) throw notFoundError(bulkActionMessages.noBulkAction())
  return rows[0]
}

/**
 * Starts an action on calls. The calls are fixed now, so later ones are not changed.
 * @throws HttpError 400 naming the field, 403 without the rights of the single operation, 409 if too many are running
 */
export async function createBulkAction(
  core: Core,
  actor: PersonActor,
  request: NewBulkAction,
): Promise<BulkActionJson> {
  const { action } = request
  requireOperationAccess(actor, CALL_ACTIONS[action].operation)
  const managerName = parseManagerName(request)
  const recordingIds = await selectCalls(core, actor, request)
  const id = generateId()
  const trace = getCurrentRequestTrace()!
  // The entries of the start and of all changes have the id of the bulk action, so the audit log shows one action.
  return runInRequestContext({ ...trace, actionId: id }, () =>
    runInTransaction(core.db, async (sql) => {
      await requireFewRunning(sql, actor)
      await insertRow(sql, 'bulk_actions', {
        id,
        person_id: actor.person.id,
        action,
        manager_name: managerName,
        state: recordingIds.length > 0 ? 'running' : 'done',
        recording_ids: recordingIds,
        counts: EMPTY_OUTCOME_COUNTS,
        address: trace.address,
        request_id: trace.requestId,
        finished_at: recordingIds.length > 0 ? null : new Date(),
      })
      const details = { after: { bulkAction: action, selectedCalls: recordingIds.length, managerName } }
      await recordAuditChange(sql, actor, { action: 'bulk-action.start', details })
      return loadBulkAction(sql, actor, id)
    }),
  )
}

/** Returns the name without surrounding whitespace; null for other actions and to remove the manager. @throws HttpError 400 */
function parseManagerName({ action, managerName }: NewBulkAction): string | null {
  if (action !== 'manager') return null
  if (managerName === undefined) throw badRequestError([fieldRuleMessages.required().withField('managerName')])
  return managerName && normalizeWhitespace(managerName)
}

/** Returns the ids of the calls. @throws HttpError 400 unless the request has either filters or ids */
async function selectCalls(
  core: Core,
  actor: PersonActor,
  { action, filters, createdUntil, ids }: NewBulkAction,
): Promise<string[]> {
  if ((filters === undefined) === (ids === undefined))
    throw badRequestError([bulkActionMessages.filtersOrIds().withField('filters')])
  if (!filters) return toUniqueIds(ids!)
  const { sort: _, order: __, ...values } = parseViewFilters(core.config, filters)
  const { statuses } = CALL_ACTIONS[action]
  const status = statuses && values.status ? statuses.filter((one) => values.status!.includes(one)) : statuses
  if (status?.length === 0) return []
  const selected = { ...values, ...(status && { status: [...status] }) }
  return listRecordingIds(core, actor, selected, { createdUntil, limit: MAX_BULK_ACTION_CALLS })
}

async function requireFewRunning(sql: Sql, { person }: PersonActor): Promise<void> {
  const text = `SELECT FROM bulk_actions WHERE person_id = $1 AND state = 'running'`
  const { rowCount } = await sql.query({ text, values: [person.id] })
  if (rowCount! >= MAX_RUNNING_BULK_ACTIONS)
    throw conflictError(bulkActionMessages.tooMany({ limit: MAX_RUNNING_BULK_ACTIONS }))
}

/** Stops a bulk action, whose running batch still ends. Changed calls stay changed. @throws HttpError 404, 409 if it has ended */
export function cancelBulkAction({ db }: Core, actor: PersonActor, id: string): Promise<BulkActionJson> {
  return runInTransaction(db, async (sql) => {
    const { action } = await loadBulkAction(sql, actor, id)
    const text = `UPDATE bulk_actions SET state = 'cancelled' WHERE id = $1 AND state = 'running'`
    const { rowCount } = await sql.query({ text, values: [id] })
    if (rowCount !== 1) throw conflictError(bulkActionMessages.ended())
    await recordAuditChange(sql, actor, { action: 'bulk-action.cancel', details: { after: { bulkAction: action } } })
    return loadBulkAction(sql, actor, id)
  })
}
