import { randomUUID } from 'node:crypto'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { CrmCallRow } from '../bitrix24/calls.ts'
import type { PortalAccess } from '../bitrix24/client.ts'
import { PORTAL_FUNNEL_LIST, buildPortalStageList } from '../bitrix24/deals.ts'
import { PortalError } from '../bitrix24/errors.ts'
import {
  fetchPortalListPage,
  type CrmColumnValues,
  type ParsedPortalRows,
  type PortalList,
} from '../bitrix24/fields.ts'
import { PORTAL_DEPARTMENT_LIST, fetchPortalUsers, PORTAL_USER_LIST } from '../bitrix24/users-and-clients.ts'
import { crmMessages } from '../messages.ts'
import { storePortalRows, type PortalRowKind } from '../quarantine/store.ts'
import type { CrmStep, CrmStepPassResult } from './crm-step.ts'
import { upsertCrmRows, type CrmUpsertTarget } from './upsert.ts'

const PASS_INTERVAL_SECONDS = 6 * 3600

interface PassCursor {
  pass: string
  list: number
  start: number
  rejected?: number
}

interface FullPassOptions extends Pick<CrmStep, 'name' | 'after'> {
  /** The field with the id in a row of the portal. */
  id: string
  table: string
  key?: string[]
  columns: Record<string, string>
  lists: (core: Core) => PortalList[] | Promise<PortalList[]>
}

/** Creates a step that reads whole lists. Rows that are missing in the portal are flagged, not deleted. */
function createFullPass({ name, after, id, table, key = ['id'], columns, lists }: FullPassOptions) {
  const set = () => ['seen_in = $2', 'gone_at = NULL', 'read_at = now()']
  const target: CrmUpsertTarget = { table, key, columns, mark: 'seen_in', set }
  const kind: PortalRowKind<CrmColumnValues> = {
    step: name,
    id,
    keyOf: (row) => key.map((column) => row[column]).join('/'),
  }
  const step: CrmStep<never, PassCursor> = {
    name,
    intervalSeconds: PASS_INTERVAL_SECONDS,
    ...(after && { after }),
    async *pages(core, { access, cursor }) {
      const portalLists = await lists(core)
      let current = cursor ?? { pass: randomUUID(), list: 0, start: 0 }
      while (current.list < portalLists.length) {
        const { parsed, next } = await fetchPortalListPage(core, access, portalLists[current.list]!, current.start)
        const rejected = (current.rejected ?? 0) + parsed.rejected.length
        current =
          next === undefined
            ? { ...current, list: current.list + 1, start: 0, rejected }
            : { ...current, start: next, rejected }
        const { pass } = current
        yield {
          cursor: current,
          store: (sql) => storePortalRows(sql, kind, parsed, (rows) => upsertCrmRows(sql, target, rows, pass)),
        }
      }
    },
    end: (_, sql, __, cursor) => flagMissingRows(sql, table, cursor),
  }
  return { step, kind, target }
}

/** If a larger number and share of rows is missing, the webhook probably lost permissions. */
const MAX_VANISHED_COUNT = 3
const MAX_VANISHED_SHARE = 0.05

/** Flags rows that the pass did not find. It flags nothing if permissions were probably lost or rows were rejected. */
async function flagMissingRows(
  sql: Sql,
  table: string,
  cursor: PassCursor | undefined,
): Promise<CrmStepPassResult<never>> {
  if (!cursor || cursor.rejected) return {}
  const { rows } = await sql.query<{ known: number; missing: number }>({
    text: `SELECT count(*)::int AS known, count(*) FILTER (WHERE seen_in IS DISTINCT FROM $1)::int AS missing
             FROM ${table} WHERE gone_at IS NULL`,
    values: [cursor.pass],
  })
  const { known, missing } = rows[0]!
  if (missing > Math.max(MAX_VANISHED_COUNT, known * MAX_VANISHED_SHARE))
    return { notice: crmMessages.rowsMissing({ missing, known }) }
  await sql.query({
    text: `UPDATE ${table} SET gone_at = now() WHERE gone_at IS NULL AND seen_in IS DISTINCT FROM $1`,
    values: [cursor.pass],
  })
  return {}
}

const usersPass = createFullPass({
  name: 'users',
  id: 'ID',
  table: 'crm_users',
  columns: { id: 'text', name: 'text', position: 'text', active: 'boolean', department_ids: 'bigint[]' },
  lists: () => [PORTAL_USER_LIST],
})
export const crmUsersStep = usersPass.step

export const { step: crmDepartmentsStep } = createFullPass({
  name: 'departments',
  id: 'ID',
  table: 'crm_departments',
  columns: { id: 'bigint', name: 'text', parent_id: 'bigint', sort: 'integer', head_user_id: 'text' },
  lists: () => [PORTAL_DEPARTMENT_LIST],
})

export const { step: crmFunnelsStep } = createFullPass({
  name: 'funnels',
  id: 'id',
  table: 'crm_funnels',
  columns: { id: 'bigint', name: 'text', sort: 'integer', is_default: 'boolean' },
  lists: () => [PORTAL_FUNNEL_LIST],
})

export const { step: crmStagesStep } = createFullPass({
  name: 'stages',
  after: 'funnels',
  id: 'STATUS_ID',
  table: 'crm_stages',
  key: ['funnel_id', 'id'],
  columns: { funnel_id: 'bigint', id: 'text', name: 'text', sort: 'integer', outcome: 'text' },
  async lists({ pool }) {
    const text = 'SELECT id FROM crm_funnels WHERE gone_at IS NULL ORDER BY id'
    return (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => buildPortalStageList(id))
  },
})

/**
 * Fetches and stores the users of calls that are not stored yet. Users that the portal does not return are stored as gone.
 * @throws PortalError, unless only this method fails, for example because of a missing right
 */
export async function loadUnknownPortalUsers(core: Core, access: PortalAccess, calls: CrmCallRow[]): Promise<void> {
  const ids = [...new Set(calls.map(({ user_id: id }) => id).filter((id) => id !== null))]
  const { rows } = await core.pool.query<{ id: string }>({
    text: 'SELECT id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM crm_users',
    values: [ids],
  })
  const unknown = rows.map(({ id }) => id)
  if (unknown.length === 0) return
  try {
    const found = await fetchPortalUsers(core, access, unknown)
    await runInTransaction(core.db, (sql) => storeUsers(sql, found, unknown))
  } catch (error) {
    const isMethodError = error instanceof PortalError && ['denied', 'item', 'attention'].includes(error.verdict)
    if (!isMethodError) throw error
  }
}

/** Users that the portal did not return get a placeholder name. */
async function storeUsers(sql: Sql, found: ParsedPortalRows<CrmColumnValues>, requested: string[]): Promise<void> {
  await storePortalRows(sql, usersPass.kind, found, (rows) => upsertCrmRows(sql, usersPass.target, rows, null))
  await sql.query({
    text: `INSERT INTO crm_users (id, name, active, gone_at) SELECT id, 'User ' || id, false, now() FROM unnest($1::text[]) AS id
           ON CONFLICT DO NOTHING`,
    values: [requested],
  })
}
