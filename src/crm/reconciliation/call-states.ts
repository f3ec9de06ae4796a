/** SQL conditions on the recording r of a received call c, by state. */
const RECEIVED_CONDITIONS = {
  done: `c.load_state = 'received' AND r.status = 'DONE'`,
  inWork: `c.load_state = 'received' AND r.status IN ('QUEUED', 'PROCESSING')`,
  failed: `c.load_state = 'received' AND r.status = 'FAILED'`,
  cancelled: `c.load_state = 'received' AND r.status = 'CANCELLED'`,
  deleted: `c.load_state = 'received' AND r.id IS NULL`,
}
export const RECEIVED_CALL_STATES = Object.keys(RECEIVED_CONDITIONS)

/** SQL conditions of all states of a call. Each call has exactly one state besides `received`, the sum of the received ones. */
export const CALL_STATE_CONDITIONS_SQL = {
  received: `c.load_state = 'received'`,
  ...RECEIVED_CONDITIONS,
  loading: `c.load_state IN ('waiting', 'loading')`,
  awaitingFile: `c.load_state = 'awaiting-file'`,
  loadFailed: `c.load_state = 'failed'`,
  skipped: `c.load_state IN ('skipped', 'doubled')`,
} as const
/** The state of a portal call in our database. */
export type CrmCallState = keyof typeof CALL_STATE_CONDITIONS_SQL

export const CRM_CALL_STATE_SQL = `CASE ${Object.entries(CALL_STATE_CONDITIONS_SQL)
  .filter(([state]) => state !== 'received')
  .map(([state, condition]) => `WHEN ${condition} THEN '${state}'`)
  .join(' ')} END`

/** The reason why a call was skipped. `doubled` means that another row represents the same call. */
export const CALL_SKIP_REASON_SQL = `CASE c.load_state WHEN 'doubled' THEN 'doubled' WHEN 'skipped' THEN coalesce(c.skip_reason, 'unknown') END`

/** The name of the manager whose portal user had the call, or else the name or id of the portal user. */
export const CALLER_NAME_SQL = `coalesce(m.name, u.name, c.user_id)`

export const CRM_CALLS_FROM_SQL = `crm_calls c LEFT JOIN managers m ON m.crm_user_id = c.user_id LEFT JOIN crm_users u ON u.id = c.user_id
                  LEFT JOIN recordings r ON r.id = c.recording_id`
