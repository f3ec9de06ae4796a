import type { Core } from '../../core.ts'
import { transaction } from '../../db.ts'

/** Calls older than this get no comment any more, and theirs are not brought up to date. */
const YOUNGEST = `interval '30 days'`

/** A call whose check has not ended: its comment would change at once. */
const IS_BEING_CHECKED = `EXISTS (SELECT FROM analyses a WHERE a.recording_id = r.id AND a.status IN ('QUEUED', 'PROCESSING'))`

const IS_LINKED = `EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = c.recording_id AND l.deal_id = c.deal_id AND NOT l.ambiguous)`

/** The comments of a deal that was merged into another one went there with it. */
const IS_DEAL_THERE = `EXISTS (SELECT FROM crm_deals d WHERE d.id = c.deal_id AND d.missed_at IS NULL AND d.merged_into IS NULL)`

/**
 * Plans a comment for each call and deal since the switch, and plans again those whose check has changed, and those whose
 * call belongs to another deal now, or to this one again.
 */
export async function planComments(core: Core): Promise<void> {
  if (!core.config.CRM_WRITE_WEBHOOK_URL) return
  const { rowCount: isOn } = await core.pool.query({
    text: `SELECT FROM crm_automation WHERE state = 'on' AND writing_on`,
  })
  if (!isOn) return
  const planned = await transaction(core.db, async (sql) => {
    const { rowCount: added } = await sql.query({
      text: `INSERT INTO crm_comments (recording_id, deal_id)
             SELECT l.recording_id, l.deal_id
               FROM crm_automation w, recordings r JOIN crm_call_deals l ON l.recording_id = r.id AND NOT l.ambiguous
              WHERE r.call_at >= greatest(w.writing_since, now() - ${YOUNGEST}) AND r.status = 'DONE' AND NOT ${IS_BEING_CHECKED}
                AND NOT EXISTS (SELECT FROM crm_comments c WHERE c.recording_id = l.recording_id AND c.deal_id = l.deal_id)
             ON CONFLICT DO NOTHING`,
    })
    const { rowCount: changed } = await sql.query({
      text: `UPDATE crm_comments c SET status = 'QUEUED', attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL
               FROM recordings r JOIN analyses n ON n.recording_id = r.id AND n.is_current
              WHERE c.status = 'SENT' AND r.id = c.recording_id AND r.status = 'DONE' AND n.changed_at > c.sent_at AND c.left_at IS NULL
                AND r.call_at > now() - ${YOUNGEST} AND NOT ${IS_BEING_CHECKED}`,
    })
    const { rowCount: moved } = await sql.query({
      text: `UPDATE crm_comments c SET status = 'QUEUED', attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL
               FROM recordings r JOIN crm_matches m ON m.recording_id = r.id AND m.state IN ('linked', 'manual')
              WHERE r.id = c.recording_id AND r.call_at > now() - ${YOUNGEST}
                AND (c.status = 'SENT' AND c.left_at IS NULL AND NOT ${IS_LINKED} AND ${IS_DEAL_THERE}
                  OR (c.status = 'CANCELLED' OR c.status = 'SENT' AND c.left_at IS NOT NULL) AND ${IS_LINKED} AND ${IS_DEAL_THERE})`,
    })
    return added! + changed! + moved!
  })
  if (planned > 0) core.notify('crm-write')
}
