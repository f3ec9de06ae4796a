import { cleanName } from '../../lib/names.ts'
import type { Sql } from '../../db.ts'
import { rowsOf, type Row } from '../portal/rows.ts'
import { flagOf, idOf, idsOf, numberOf, textOf } from '../values.ts'
import { markGone, readWhole, type FullPass, type PassCursor } from './full-pass.ts'
import type { CrmStep } from './step.ts'
import { upsert } from './upsert.ts'

export const SIX_HOURS = 6 * 3600
const SEEN = ['seen_in = $2', 'gone_at = NULL', 'read_at = now()']
const nothing = () => Promise.resolve(null)

const users: FullPass = {
  target: {
    table: 'crm_users',
    key: ['id'],
    columns: { id: 'text', name: 'text', position: 'text', active: 'boolean', department_ids: 'bigint[]' },
    also: SEEN,
  },
  // Without ACTIVE in the filter: those who were dismissed are the managers of earlier calls.
  lists: () =>
    Promise.resolve([
      {
        method: 'user.get',
        params: { sort: 'ID', order: 'ASC' },
        rows: ({ result }) => rowsOf(result),
        toColumns: asUser,
      },
    ]),
}

/** Stores users that were asked for by their ids; those whom the portal did not give are gone. */
export async function storeUsers(sql: Sql, rows: Row[], asked: string[]): Promise<void> {
  await upsert(
    sql,
    users.target,
    rows.map(asUser).filter((user) => user !== undefined),
    null,
  )
  await sql.query({
    text: `INSERT INTO crm_users (id, name, active, gone_at) SELECT id, 'User ' || id, false, now() FROM unnest($1::text[]) AS id
           ON CONFLICT DO NOTHING`,
    values: [asked],
  })
}

function asUser(row: Row): Record<string, unknown> | undefined {
  const id = idOf(row.ID)
  if (id === null) return undefined
  const name = cleanName([textOf(row.NAME), textOf(row.LAST_NAME)].filter(Boolean).join(' ')) || `User ${id}`
  const department_ids = idsOf(row.UF_DEPARTMENT)
  return {
    id,
    name: name.slice(0, 200),
    position: textOf(row.WORK_POSITION),
    active: flagOf(row.ACTIVE),
    department_ids,
  }
}

export const usersStep: CrmStep<never, PassCursor> = {
  name: 'users',
  intervalSeconds: SIX_HOURS,
  waitsFor: nothing,
  pages: (core, reading) => readWhole(core, reading, users),
  end: (_, sql, __, cursor) => markGone(sql, 'crm_users', cursor),
}

const departments: FullPass = {
  target: {
    table: 'crm_departments',
    key: ['id'],
    columns: { id: 'bigint', name: 'text', parent_id: 'bigint', sort: 'integer', head_user_id: 'text' },
    also: SEEN,
  },
  lists: () =>
    Promise.resolve([
      {
        method: 'department.get',
        params: { sort: 'ID', order: 'ASC' },
        rows: ({ result }) => rowsOf(result),
        toColumns: asDepartment,
      },
    ]),
}

function asDepartment(row: Row): Record<string, unknown> | undefined {
  const id = idOf(row.ID)
  if (id === null) return undefined
  const [parent_id, head_user_id] = [idOf(row.PARENT), idOf(row.UF_HEAD)]
  return { id, name: textOf(row.NAME) ?? `Department ${id}`, parent_id, sort: sortOf(row.SORT), head_user_id }
}

/** The order of a list; Postgres has integers of 32 bits. */
export function sortOf(value: unknown): number | null {
  const sort = numberOf(value)
  return sort !== null && Math.abs(sort) < 2 ** 31 ? sort : null
}

export const departmentsStep: CrmStep<never, PassCursor> = {
  name: 'departments',
  intervalSeconds: SIX_HOURS,
  waitsFor: nothing,
  pages: (core, reading) => readWhole(core, reading, departments),
  end: (_, sql, __, cursor) => markGone(sql, 'crm_departments', cursor),
}
