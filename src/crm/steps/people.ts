import { cleanName } from '../../platform/lib/names.ts'
import type { Sql } from '../../platform/db/db.ts'
import { rowsOf, type Row } from '../bitrix24/rows.ts'
import { parseRows, type Fields } from '../bitrix24/fields.ts'
import { storeRows } from '../quarantine/store.ts'
import { markGone, readWhole, type Columns, type FullPass, type PassCursor } from './full-pass.ts'
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
  kind: { step: 'users', id: 'ID', keyOf: ({ id }) => String(id) },
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
  await storeRows(sql, users.kind, parseRows(rows, asUser), (columns) => upsert(sql, users.target, columns, null))
  await sql.query({
    text: `INSERT INTO crm_users (id, name, active, gone_at) SELECT id, 'User ' || id, false, now() FROM unnest($1::text[]) AS id
           ON CONFLICT DO NOTHING`,
    values: [asked],
  })
}

function asUser(fields: Fields): Columns {
  const id = fields.required('ID', fields.id('ID'))
  const name = cleanName([fields.text('NAME'), fields.text('LAST_NAME')].filter(Boolean).join(' ')) || `User ${id}`
  return {
    id,
    name: name.slice(0, 200).toWellFormed(),
    position: fields.text('WORK_POSITION'),
    active: fields.flag('ACTIVE'),
    department_ids: fields.ids('UF_DEPARTMENT'),
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
  kind: { step: 'departments', id: 'ID', keyOf: ({ id }) => String(id) },
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

function asDepartment(fields: Fields): Columns {
  const id = fields.required('ID', fields.id('ID'))
  return {
    id,
    name: fields.text('NAME') ?? `Department ${id}`,
    parent_id: fields.id('PARENT'),
    sort: sortOf(fields, 'SORT'),
    head_user_id: fields.id('UF_HEAD'),
  }
}

/** The order of a list; Postgres has integers of 32 bits. */
export const sortOf = (fields: Fields, name: string): number | null => fields.number(name, -(2 ** 31), 2 ** 31 - 1)

export const departmentsStep: CrmStep<never, PassCursor> = {
  name: 'departments',
  intervalSeconds: SIX_HOURS,
  waitsFor: nothing,
  pages: (core, reading) => readWhole(core, reading, departments),
  end: (_, sql, __, cursor) => markGone(sql, 'crm_departments', cursor),
}
