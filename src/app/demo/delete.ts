import type { DataSource } from 'typeorm'
import { poolOf, runInTransaction } from '../../platform/db/db.ts'
import { FIRST_DEMO_CRM_ID, DEMO_MANAGERS, DEMO_ID_PREFIX } from './company.ts'
import { DEMO_SETTING_NAME, DEMO_DEPARTMENT_IDS, hasDemoData, deleteDemoMarker } from './marker.ts'

/**
 * Deletes all demo data, also of an interrupted fill.
 * @returns the number of deleted calls; undefined without a demo
 */
export async function deleteDemoData(db: DataSource): Promise<number | undefined> {
  const deletedCount = await runInTransaction(db, async (sql) => {
    // Waits for the running batch of a parallel fill, which then stops.
    await sql.query({ text: 'SELECT FROM settings WHERE name = $1 FOR UPDATE', values: [DEMO_SETTING_NAME] })
    if (!(await hasDemoData(sql))) return undefined
    const demoCondition = `external_call_id ~ '^${DEMO_ID_PREFIX}[0-9]{5}$'`
    // Somebody can have uploaded audio for a demo call.
    await sql.query({
      text: `INSERT INTO file_removals (storage_key, due_at)
             SELECT storage_key, '-infinity' FROM recordings WHERE ${demoCondition} AND storage_key <> 'demo/' || id
             ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at`,
    })
    const { rowCount } = await sql.query({ text: `DELETE FROM recordings WHERE ${demoCondition}` })
    for (const [table, column] of [
      ['crm_comments', 'deal_id'],
      ['crm_call_deals', 'deal_id'],
      ['crm_calls', 'id'],
      ['crm_stage_history', 'deal_id'],
      ['crm_deals', 'id'],
      ['crm_stages', 'funnel_id'],
      ['crm_funnels', 'id'],
    ]) {
      await sql.query({ text: `DELETE FROM ${table} WHERE ${column} >= ${FIRST_DEMO_CRM_ID}` })
    }
    await sql.query({
      text: 'DELETE FROM person_departments WHERE department_id = ANY($1::uuid[])',
      values: [DEMO_DEPARTMENT_IDS],
    })
    await sql.query({ text: 'DELETE FROM departments WHERE id = ANY($1::uuid[])', values: [DEMO_DEPARTMENT_IDS] })
    const users = [DEMO_MANAGERS.map(({ userId }) => userId)]
    // Reports of weeks with real calls keep the rows of real managers.
    await sql.query({
      text: `UPDATE weekly_reports SET managers = to_jsonb(ARRAY(
               SELECT one FROM jsonb_array_elements(managers) WITH ORDINALITY AS m (one, n)
                WHERE coalesce(one->>'managerId', '') NOT IN (SELECT id::text FROM managers WHERE crm_user_id = ANY($1::text[]))
                ORDER BY n))`,
      values: users,
    })
    await sql.query({ text: `DELETE FROM weekly_reports WHERE managers = '[]'` })
    // A demo manager with real calls is kept, without the invented CRM user id.
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
    await deleteDemoMarker(sql)
    return rowCount!
  })
  await poolOf(db).query({ text: 'SELECT add_up_recording_counts(), add_up_rule_counts(), add_up_deal_calls(100000)' })
  await poolOf(db).query({
    text: 'DELETE FROM rule_counts WHERE met = 0 AND missed = 0 AND not_applicable = 0 AND unknown = 0',
  })
  return deletedCount
}
