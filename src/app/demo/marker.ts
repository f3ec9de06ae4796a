import type { Sql } from '../../platform/db/sql.ts'
import { DEMO_DEPARTMENTS, DEMO_MANAGERS } from './company.ts'

/** The setting that marks an instance with demo data, from the first inserted row to the last deleted row. */
export const DEMO_SETTING_NAME = 'demo'
export const DEMO_DEPARTMENT_IDS = DEMO_DEPARTMENTS.map(({ id }) => id)

/** Returns whether the database contains demo data. */
export async function hasDemoData(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query({ text: 'SELECT FROM settings WHERE name = $1', values: [DEMO_SETTING_NAME] })
  return rows.length > 0
}

/**
 * Marks the database as one with demo data, and enables the checks.
 * @throws Error if the mark exists
 */
export async function insertDemoMarker(sql: Sql): Promise<void> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO settings AS s (name, value) VALUES ('analysis', '{"agentChannel": {"default": 0}, "automatic": true}')
           ON CONFLICT (name) DO UPDATE SET value = s.value || '{"automatic": true}'
            WHERE s.value -> 'automatic' IS DISTINCT FROM 'true'`,
  })
  const value = JSON.stringify({ hasSwitchedChecksOn: rowCount === 1 })
  await sql.query({ text: 'INSERT INTO settings (name, value) VALUES ($1, $2)', values: [DEMO_SETTING_NAME, value] })
}

/** Removes the mark, and disables the checks if insertDemoMarker() enabled them. */
export async function deleteDemoMarker(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE settings SET value = value || '{"automatic": false}'
            WHERE name = 'analysis'
              AND (SELECT value -> 'hasSwitchedChecksOn' FROM settings WHERE name = $1) = 'true'`,
    values: [DEMO_SETTING_NAME],
  })
  await sql.query({ text: 'DELETE FROM settings WHERE name = $1', values: [DEMO_SETTING_NAME] })
}

/**
 * Blocks parallel fills and requires that the instance has no data.
 * @throws Error if it has demo data or real data
 */
export async function requireInstanceWithoutData(sql: Sql): Promise<void> {
  await sql.query({ text: 'LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE' })
  if (await hasDemoData(sql)) throw new Error('the demo is here already: remove it first with npm run demo -- remove')
  const { rows } = await sql.query<{ what: string }>({
    text: `SELECT 'calls' AS what WHERE EXISTS (SELECT FROM recordings)
            UNION ALL SELECT 'departments' WHERE EXISTS (SELECT FROM departments)
            UNION ALL SELECT 'calls of the CRM' WHERE EXISTS (SELECT FROM crm_calls)
            UNION ALL SELECT 'deals' WHERE EXISTS (SELECT FROM crm_deals)
            UNION ALL SELECT 'funnels' WHERE EXISTS (SELECT FROM crm_funnels)
            UNION ALL SELECT 'managers of the same names' WHERE EXISTS (
              SELECT FROM managers WHERE name_key = ANY($1::text[]) OR crm_user_id = ANY($2::text[]))`,
    values: [DEMO_MANAGERS.map(({ name }) => name.toLowerCase()), DEMO_MANAGERS.map(({ userId }) => userId)],
  })
  if (rows.length === 0) return
  const existingKinds = rows.map(({ what }) => what).join(', ')
  throw new Error(`this is no empty instance, and the demo would mix with it: it has ${existingKinds}`)
}
