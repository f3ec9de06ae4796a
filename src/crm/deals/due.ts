import type { Sql } from '../../platform/db/sql.ts'

/** Queues the search for the deals of a call, unless a person chose them. */
export async function queueMatch(sql: Sql, recordingId: string): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_matches AS m (recording_id, state, due_at) SELECT id, 'waiting', now() FROM recordings WHERE id = $1
           ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.state <> 'manual'`,
    values: [recordingId],
  })
}
