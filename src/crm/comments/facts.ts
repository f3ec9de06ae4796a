import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { commentText, type CommentedCall } from './text.ts'

/** What a comment of a recording says, as the recording is now; undefined where it is gone. */
export async function textOfComment(
  sql: Sql,
  config: Config,
  recordingId: string,
  say = commentText,
): Promise<string | undefined> {
  const { rows } = await sql.query<CommentedCall>({
    text: `SELECT r.id AS "recordingId", r.call_at AS "startedAt", r.direction, r.manager_name AS "managerName", r.score,
                  coalesce(r.duration_seconds,
                           (SELECT max(c.duration_seconds) FROM crm_calls c WHERE c.recording_id = r.id)) AS "durationSeconds",
                  ARRAY(SELECT coalesce(rule -> 'name' ->> 'en', f.rule_key)
                          FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
                               JOIN rule_set_versions v ON v.id = f.version_id
                               LEFT JOIN LATERAL jsonb_array_elements(v.rules) AS rule ON rule ->> 'key' = f.rule_key
                         WHERE a.recording_id = r.id AND a.is_current ORDER BY f.position) AS missed
             FROM recordings r WHERE r.id = $1`,
    values: [recordingId],
  })
  return rows[0] && say(rows[0], config.APP_TIMEZONE, config.PUBLIC_BASE_URL)
}
