import type { Sql } from '../../platform/db/sql.ts'
import { DEPARTMENTS, MANAGERS } from './company.ts'

/** The setting whose row says that this instance holds a demo, from its first row to its last. */
export const DEMO = 'demo'

/** Whether this instance holds a demo, or a part of one. */
export async function hasDemo(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query({ name: 'has-demo', text: 'SELECT FROM settings WHERE name = $1', values: [DEMO] })
  return rows.length > 0
}

/** Marks the demo as started, and switches automatic checking on, so that added calls are checked too. */
export async function insertMarker(sql: Sql): Promise<void> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO settings AS s (name, value) VALUES ('analysis', '{"agentChannel": {"default": 0}, "automatic": true}')
           ON CONFLICT (name) DO UPDATE SET value = s.value || '{"automatic": true}'
            WHERE s.value -> 'automatic' IS DISTINCT FROM 'true'`,
  })
  const value = JSON.stringify({ hasSwitchedChecksOn: rowCount === 1 })
  await sql.query({ text: 'INSERT INTO settings (name, value) VALUES ($1, $2)', values: [DEMO, value] })
}

/** Removes the mark, and switches automatic checking off if the demo switched it on. */
export async function removeMarker(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE settings SET value = value || '{"automatic": false}'
            WHERE name = 'analysis'
              AND (SELECT value -> 'hasSwitchedChecksOn' FROM settings WHERE name = $1) = 'true'`,
    values: [DEMO],
  })
  await sql.query({ text: 'DELETE FROM settings WHERE name = $1', values: [DEMO] })
}

/** Lets one fill at a time pass, and only where there is nothing of anybody. @throws Error */
export async function refuseOverRealData(sql: Sql): Promise<void> {
  await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
  if (await hasDemo(sql)) throw new Error('the demo is here already: remove it first with npm run demo -- remove')
  const { rows } = await sql.query<{ what: string }>({
    text: `SELECT 'calls' AS what WHERE EXISTS (SELECT FROM recordings)
            UNION ALL SELECT 'departments' WHERE EXISTS (SELECT FROM departments)
            UNION ALL SELECT 'calls of the CRM' WHERE EXISTS (SELECT FROM crm_calls)
            UNION ALL SELECT 'deals' WHERE EXISTS (SELECT FROM crm_deals)
            UNION ALL SELECT 'funnels' WHERE EXISTS (SELECT FROM crm_funnels)
            UNION ALL SELECT 'managers of the same names' WHERE EXISTS (
              SELECT FROM managers WHERE name_key = ANY($1::text[]) OR crm_user_id = ANY($2::text[]))`,
    values: [MANAGERS.map(({ name }) => name.toLowerCase()), MANAGERS.map(({ userId }) => userId)],
  })
  if (rows.length === 0) return
  const found = rows.map(({ what }) => what).join(', ')
  throw new Error(`this is no empty instance, and the demo would mix with it: it has ${found}`)
}

/** The departments of the demo, also of one that the release before has filled: its ids said version 4. */
export const DEPARTMENT_IDS: string[] = DEPARTMENTS.flatMap(({ id }) => [id, id.replace('-7000-', '-4000-')])
