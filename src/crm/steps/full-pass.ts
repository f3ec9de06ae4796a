import { randomUUID } from 'node:crypto'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { CallRow } from '../bitrix24/calls.ts'
import type { Asking } from '../bitrix24/client.ts'
import { FUNNELS, stagesOf } from '../bitrix24/deals.ts'
import { PortalError } from '../bitrix24/errors.ts'
import { fetchListPage, type Columns, type ParsedRows, type PortalList } from '../bitrix24/fields.ts'
import { DEPARTMENTS, fetchUsers, USERS } from '../bitrix24/people.ts'
import { crmMessages } from '../messages.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import type { CrmStep, Ended } from './step.ts'
import { upsert, type Target } from './upsert.ts'

const SIX_HOURS = 6 * 3600

interface PassCursor {
  pass: string
  list: number
  start: number
  /** Number of rows that could not be stored. */
  rejected?: number
}

interface FullPass extends Pick<CrmStep, 'name' | 'after'> {
  /** The portal's field with the id. */
  id: string
  table: string
  key?: string[]
  columns: Record<string, string>
  lists: (core: Core) => PortalList[] | Promise<PortalList[]>
}

/** A step that reads lists whole. Rows missing upstream are flagged, not deleted. */
function fullPass({ name, after, id, table, key = ['id'], columns, lists }: FullPass) {
  const set = () => ['seen_in = $2', 'gone_at = NULL', 'read_at = now()']
  const target: Target = { table, key, columns, mark: 'seen_in', set }
  const kind: RowKind<Columns> = { step: name, id, keyOf: (row) => key.map((column) => row[column]).join('/') }
  const step: CrmStep<never, PassCursor> = {
    name,
    intervalSeconds: SIX_HOURS,
    ...(after && { after }),
    async *pages(core, { asking, cursor }) {
      const all = await lists(core)
      let at = cursor ?? { pass: randomUUID(), list: 0, start: 0 }
      while (at.list < all.length) {
        const { parsed, next } = await fetchListPage(core, asking, all[at.list]!, at.start)
        const rejected = (at.rejected ?? 0) + parsed.rejected.length
        at = next === undefined ? { ...at, list: at.list + 1, start: 0, rejected } : { ...at, start: next, rejected }
        const { pass } = at
        yield { cursor: at, store: (sql) => storeRows(sql, kind, parsed, (rows) => upsert(sql, target, rows, pass)) }
      }
    },
    end: (_, sql, __, cursor) => flagMissing(sql, table, cursor),
  }
  return { step, kind, target }
}

/** So many rows, or this share of them, can vanish at once. */
const FEW = 3
const SHARE = 0.05

/** Flags rows that the pass did not see, unless too many vanish at once (lost permissions) or rows were rejected. */
async function flagMissing(sql: Sql, table: string, cursor: PassCursor | undefined): Promise<Ended<never>> {
  if (!cursor || cursor.rejected) return {}
  const { rows } = await sql.query<{ known: number; missing: number }>({
    text: `SELECT count(*)::int AS known, count(*) FILTER (WHERE seen_in IS DISTINCT FROM $1)::int AS missing
             FROM ${table} WHERE gone_at IS NULL`,
    values: [cursor.pass],
  })
  const { known, missing } = rows[0]!
  if (missing > Math.max(FEW, known * SHARE)) return { notice: crmMessages.rowsMissing({ missing, known }) }
  await sql.query({
    text: `UPDATE ${table} SET gone_at = now() WHERE gone_at IS NULL AND seen_in IS DISTINCT FROM $1`,
    values: [cursor.pass],
  })
  return {}
}

const users = fullPass({
  name: 'users',
  id: 'ID',
  table: 'crm_users',
  columns: { id: 'text', name: 'text', position: 'text', active: 'boolean', department_ids: 'bigint[]' },
  lists: () => [USERS],
})
export const usersStep = users.step

export const { step: departmentsStep } = fullPass({
  name: 'departments',
  id: 'ID',
  table: 'crm_departments',
  columns: { id: 'bigint', name: 'text', parent_id: 'bigint', sort: 'integer', head_user_id: 'text' },
  lists: () => [DEPARTMENTS],
})

export const { step: funnelsStep } = fullPass({
  name: 'funnels',
  id: 'id',
  table: 'crm_funnels',
  columns: { id: 'bigint', name: 'text', sort: 'integer', is_default: 'boolean' },
  lists: () => [FUNNELS],
})

export const { step: stagesStep } = fullPass({
  name: 'stages',
  after: 'funnels',
  id: 'STATUS_ID',
  table: 'crm_stages',
  key: ['funnel_id', 'id'],
  columns: { funnel_id: 'bigint', id: 'text', name: 'text', sort: 'integer', outcome: 'text' },
  async lists({ pool }) {
    const text = 'SELECT id FROM crm_funnels WHERE gone_at IS NULL ORDER BY id'
    return (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => stagesOf(id))
  },
})

/** Fetches unknown users of calls and stores missing ones as gone. @throws PortalError, but not for a missing right */
export async function fetchUnknownUsers(core: Core, asking: Asking, calls: CallRow[]): Promise<void> {
  const ids = [...new Set(calls.map(({ user_id: id }) => id).filter((id) => id !== null))]
  const { rows } = await core.pool.query<{ id: string }>({
    text: 'SELECT id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM crm_users',
    values: [ids],
  })
  const unknown = rows.map(({ id }) => id)
  if (unknown.length === 0) return
  try {
    const found = await fetchUsers(core, asking, unknown)
    await transaction(core.db, (sql) => storeUsers(sql, found, unknown))
  } catch (error) {
    const isOfMethod = error instanceof PortalError && ['denied', 'item', 'attention'].includes(error.verdict)
    if (!isOfMethod) throw error
  }
}

/** Stores users that were requested by their ids; those that the portal did not return are flagged. */
async function storeUsers(sql: Sql, found: ParsedRows<Columns>, requested: string[]): Promise<void> {
  await storeRows(sql, users.kind, found, (rows) => upsert(sql, users.target, rows, null))
  await sql.query({
    text: `INSERT INTO crm_users (id, name, active, gone_at) SELECT id, 'User ' || id, false, now() FROM unnest($1::text[]) AS id
           ON CONFLICT DO NOTHING`,
    values: [requested],
  })
}
