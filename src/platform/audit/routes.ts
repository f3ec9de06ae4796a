import { route, type Route } from '../http/route.ts'
import { exportAuditOperation, listAuditOperation, type AuditEntryJson } from './schema.ts'
import { AUDIT_CHANGE_ACTIONS, MAIN_READ_ACTIONS, SUPPORTING_READ_ACTIONS } from './actions.ts'
import { exportAuditEntries, listAuditActions, type AuditActionRows, type AuditRow } from './service.ts'

export const auditRoutes: Route[] = [
  route(listAuditOperation, async ({ core, query }) => {
    const page = await listAuditActions(core, query)
    return { ...page, items: page.items.map(presentAction) }
  }),

  route(exportAuditOperation, ({ ctx, core, query }) => {
    const { fileName, content } = exportAuditEntries(core, query)
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('Content-Disposition', `attachment; filename="${fileName}"`)
    ctx.body = content
  }),
]

const isChange = ({ action }: AuditRow): boolean => (AUDIT_CHANGE_ACTIONS as readonly string[]).includes(action)

const findMainRead = (rows: AuditRow[]): AuditRow | undefined =>
  MAIN_READ_ACTIONS.map((name) => rows.find(({ action }) => action === name)).find(Boolean) ??
  rows.find(({ action }) => !SUPPORTING_READ_ACTIONS.includes(action))

/** Merges the rows of an action. The first change names the action; without changes, the read that the page is about does. */
function presentAction(rows: AuditActionRows): AuditEntryJson {
  const row = rows.find(isChange) ?? findMainRead(rows) ?? rows[0]
  const { id, at, action, details, address } = row
  return {
    id,
    at: at.toISOString(),
    person: row.person_id ? { id: row.person_id, name: row.person_name!, email: row.person_email! } : null,
    key: row.key_id ? { id: row.key_id, name: row.key_name! } : null,
    action,
    object: row.object_type ? presentObject(row) : null,
    details,
    address,
    requestId: row.request_id,
    operations: rows.map(presentOperation),
    operationCount: rows[0].action_rows ?? 1,
  }
}

const presentOperation = (row: AuditRow): AuditEntryJson['operations'][number] => ({
  action: row.action,
  object: row.object_type ? presentObject(row) : null,
  details: row.details,
})

function presentObject({
  object_type,
  object_id,
  object_name,
  call_phone,
  call_time,
}: AuditRow): AuditEntryJson['object'] {
  const call = call_time && { phoneNumber: call_phone, startedAt: call_time.toISOString() }
  return { type: object_type!, id: object_id!, name: object_name, ...(call && { call }) }
}
