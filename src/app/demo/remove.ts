import type { DataSource } from 'typeorm'
import { pool, transaction } from '../../platform/db/db.ts'
import { FIRST_ID, MANAGERS, PREFIX } from './company.ts'
import { DEMO, DEPARTMENT_IDS, hasDemo, removeMarker } from './marker.ts'

/**
 * Removes what the demo has made, whole or half done, with what people have done to it since; all of it or nothing.
 * @returns the number of calls removed, or undefined where there is no demo
 */
export async function removeDemo(db: DataSource): Promise<number | undefined> {
  const removed = await transaction(db, async (sql) => {
    // A run that still fills ends its batch first, and makes none after it.
    await sql.query({ text: 'SELECT FROM settings WHERE name = $1 FOR UPDATE', values: [DEMO] })
    if (!(await hasDemo(sql))) return undefined
    const isOfDemo = `external_call_id ~ '^${PREFIX}[0-9]{5}$'`
    // Where somebody has given a call audio of its own, that goes as well.
    await sql.query({
      text: `INSERT INTO file_removals (storage_key, due_at)
             SELECT storage_key, '-infinity' FROM recordings WHERE ${isOfDemo} AND storage_key <> 'demo/' || id
             ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at`,
    })
    const { rowCount } = await sql.query({ text: `DELETE FROM recordings WHERE ${isOfDemo}` })
    for (const [table, column] of [
      ['crm_comments', 'deal_id'],
      ['crm_call_deals', 'deal_id'],
      ['crm_calls', 'id'],
      ['crm_stage_history', 'deal_id'],
      ['crm_deals', 'id'],
      ['crm_stages', 'funnel_id'],
      ['crm_funnels', 'id'],
    ]) {
      await sql.query({ text: `DELETE FROM ${table} WHERE ${column} >= ${FIRST_ID}` })
    }
    await sql.query({
      text: 'DELETE FROM person_departments WHERE department_id = ANY($1::uuid[])',
      values: [DEPARTMENT_IDS],
    })
    await sql.query({ text: 'DELETE FROM departments WHERE id = ANY($1::uuid[])', values: [DEPARTMENT_IDS] })
    const users = [MANAGERS.map(({ userId }) => userId)]
    // Of a week with real calls too, what is not of the invented managers is kept; where nothing is left, all was invented.
    await sql.query({
      text: `UPDATE weekly_reports SET managers = to_jsonb(ARRAY(
               SELECT one FROM jsonb_array_elements(managers) WITH ORDINALITY AS m (one, n)
                WHERE coalesce(one->>'managerId', '') NOT IN (SELECT id::text FROM managers WHERE crm_user_id = ANY($1::text[]))
                ORDER BY n))`,
      values: users,
    })
    await sql.query({ text: `DELETE FROM weekly_reports WHERE managers = '[]'` })
    // One whom a real call names meanwhile is kept, as a name alone.
    await sql.query({
      text: `DELETE FROM managers m WHERE crm_user_id = ANY($1::text[])
                AND NOT EXISTS (SELECT FROM recordings r WHERE r.manager_id = m.id)
                AND NOT EXISTS (SELECT FROM department_managers d WHERE d.manager_id = m.id)
                AND NOT EXISTS (SELECT FROM crm_roster c WHERE c.manager_id = m.id)`,
      values: users,
    })
    await sql.query({
      text: 'UPDATE managers SET crm_user_id = NULL WHERE crm_user_id = ANY($1::text[])',
      values: users,
    })
    await removeMarker(sql)
    return rowCount!
  })
  await pool(db).query({ text: 'SELECT add_up_recording_counts(), add_up_rule_counts(), add_up_deal_calls(100000)' })
  // The counters keep days on which nothing is left to count.
  await pool(db).query({
    text: 'DELETE FROM rule_counts WHERE met = 0 AND missed = 0 AND not_applicable = 0 AND unknown = 0',
  })
  return removed
}
