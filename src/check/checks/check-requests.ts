import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import type { CallListener } from '../../calls/listener.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { isInBulkAction } from '../../platform/lib/log.ts'
import { deleteCachedModelReplies } from '../model/reply-cache.ts'

/** The priority of a check by its cause. The queue runs higher numbers first. */
export const CHECK_PRIORITY = { recheck: 0, bulkAction: 1, newCall: 5, person: 8 } as const

/** A bulk action can queue thousands of checks, so that new calls do not wait behind them. */
const personPriority = (): number => (isInBulkAction() ? CHECK_PRIORITY.bulkAction : CHECK_PRIORITY.person)

/** Tests in SQL whether new calls are checked automatically. The row is missing on a new installation, which means no. */
export const AUTOMATIC_CHECKS_ENABLED_SQL = `EXISTS (SELECT FROM settings WHERE name = 'analysis' AND value -> 'automatic' = 'true')`

/** Cancels the unfinished checks of a call whose transcript was removed or replaced. Findings remain, but no check is current and the score is empty. */
async function cancelChecks(sql: Sql, recordingId: string): Promise<void> {
  const { rows } = await sql.query<{ id: string }>({
    text: `WITH earlier AS (UPDATE analyses SET is_current = false WHERE recording_id = $1 AND is_current),
                scores AS (UPDATE recordings SET score = NULL, mock_score = NULL
                            WHERE id = $1 AND coalesce(score, mock_score) IS NOT NULL)
           UPDATE analyses SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
            WHERE recording_id = $1 AND status IN ('QUEUED', 'PROCESSING') RETURNING id`,
    values: [recordingId],
  })
  const cancelled = rows.map(({ id }) => id)
  if (cancelled.length > 0) await deleteCachedModelReplies(sql, cancelled)
}

/** Cancels the checks of the earlier transcript. Queues a check of the new one if automatic checking is on and the provider is not none. */
export async function enqueueAutomaticCheck(
  sql: Sql,
  { ANALYSIS_PROVIDER }: Config,
  recordingId: string,
): Promise<void> {
  await cancelChecks(sql, recordingId)
  if (ANALYSIS_PROVIDER === 'none') return
  await sql.query({
    text: `INSERT INTO analyses (id, recording_id, priority) SELECT $1, $2, $3 WHERE ${AUTOMATIC_CHECKS_ENABLED_SQL}`,
    values: [generateId(), recordingId, CHECK_PRIORITY.newCall],
  })
}

/** Flags the current and the running checks of calls as outdated. */
async function markChecksOutdated(sql: Sql, recordingIds: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE analyses SET outdated_at = now()
            WHERE recording_id = ANY($1::uuid[]) AND (is_current OR status = 'PROCESSING') AND outdated_at IS NULL`,
    values: [recordingIds],
  })
}

/**
 * Queues another check of a call. A check that is already queued gets at least this priority instead. Its recheck (run_id) can
 * then be cancelled without cancelling it. A running check does not count, because its rules can be older.
 * @param priority of CHECK_PRIORITY; the default is for a waiting person or a bulk action
 */
export async function enqueueRepeatedCheck(
  sql: Sql,
  recordingId: string,
  priority: number = personPriority(),
): Promise<void> {
  await sql.query({
    text: `WITH waiting AS (
             UPDATE analyses SET priority = greatest(priority, $3), next_attempt_at = now(), run_id = NULL
              WHERE recording_id = $1 AND status = 'QUEUED' RETURNING id)
           INSERT INTO analyses (id, recording_id, priority) SELECT $2, $1, $3 WHERE NOT EXISTS (SELECT FROM waiting)`,
    values: [recordingId, generateId(), priority],
  })
}

interface RuleSetInputs {
  id: string
  direction: string | null
  departmentId: string | null
}

/** Loads the direction and department of calls, which select their rule sets. */
export async function loadRuleSetInputs(sql: Sql, ids: string[]): Promise<RuleSetInputs[]> {
  const { rows } = await sql.query<RuleSetInputs>({
    text: `SELECT r.id, r.direction, m.department_id AS "departmentId"
             FROM recordings r LEFT JOIN department_managers m ON m.manager_id = r.manager_id
            WHERE r.id = ANY($1::uuid[]) ORDER BY r.id`,
    values: [ids],
  })
  return rows
}

/**
 * Queues new checks of the calls whose rule sets can have changed. Call it in the transaction that changes the calls.
 * While automatic or all checking is off, it flags their checks as outdated. Calls without a check get none.
 * @param before the result of loadRuleSetInputs() before the change
 * @param priority lower if many calls can change at once, so that new calls do not wait behind them
 * @returns true if a check was queued; the caller then notifies `analysis` after the commit
 */
export async function recheckCallsAfterCorrection(
  sql: Sql,
  { ANALYSIS_PROVIDER }: Config,
  before: RuleSetInputs[],
  priority: number = personPriority(),
): Promise<boolean> {
  const after = new Map((await loadRuleSetInputs(sql, before.map(({ id }) => id))).map((call) => [call.id, call])) // prettier-ignore
  const changed: string[] = []
  for (const call of before) {
    const current = after.get(call.id)
    if (current && (current.direction !== call.direction || (await hasDifferentSets(sql, call, current))))
      changed.push(call.id)
  }
  const { rows } = await sql.query<{ id: string; isAutomatic: boolean }>({
    text: `SELECT DISTINCT recording_id AS id, ${AUTOMATIC_CHECKS_ENABLED_SQL} AS "isAutomatic" FROM analyses
            WHERE recording_id = ANY($1::uuid[]) ORDER BY 1`,
    values: [changed],
  })
  if (ANALYSIS_PROVIDER === 'none' || rows[0]?.isAutomatic === false) {
    await markChecksOutdated(sql, changed)
    return false
  }
  for (const { id } of rows) await enqueueRepeatedCheck(sql, id, priority)
  return rows.length > 0
}

/** A department matters only if a published rule set names the old or the new one. */
async function hasDifferentSets(sql: Sql, before: RuleSetInputs, after: RuleSetInputs): Promise<boolean> {
  if (before.departmentId === after.departmentId) return false
  const { rowCount } = await sql.query({
    text: `SELECT FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL AND s.applies -> 'departmentIds' ?| $1::text[] LIMIT 1`,
    values: [[before.departmentId, after.departmentId].filter((id) => id !== null)],
  })
  return rowCount! > 0
}

/** Queues a check of a new transcript, cancels checks if the transcript is removed, and rechecks a call after a correction. */
export const callCheckListener: CallListener = {
  async transcriptStored(sql, config, recordingId) {
    await enqueueAutomaticCheck(sql, config, recordingId)
    return ['analysis']
  },
  transcriptRemoved: cancelChecks,
  async watchCorrection(sql, config, recordingId) {
    const before = await loadRuleSetInputs(sql, [recordingId])
    return async () => ((await recheckCallsAfterCorrection(sql, config, before)) ? ['analysis'] : [])
  },
}
