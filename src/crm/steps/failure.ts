import type { Core } from '../../platform/core.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Message } from '../../platform/lib/messages.ts'
import type { Step } from '../../platform/queue/steps.ts'
import { CrmAutomationOffError, PortalError, PortalFailure } from '../bitrix24/errors.ts'

/** The longest pause after consecutive failures. */
export const MAX_CRM_RETRY_PAUSE_SECONDS = 3600

/** After this many consecutive failures, the step asks for attention. It continues to retry. */
export const STEP_FAILURES_BEFORE_ATTENTION = 5

/**
 * Builds SQL of the next retry time. The pause doubles with each failure.
 * @param first the first pause in seconds, as SQL, like the other parameters
 */
export const nextRetryTimeSql = (
  first: string,
  longest = `${MAX_CRM_RETRY_PAUSE_SECONDS}`,
  failures = 'failures',
): string =>
  `now() + make_interval(secs => least(${longest}::float8, ${first}::float8 * power(2, least(${failures}, 12))))`

/** When a failed step can run again: `hold` waits for a person or a right, `until` for a time that the portal set. */
interface FailureConsequence {
  hold?: 'attention' | 'blocked'
  until?: Date | undefined
  isFailure: boolean
}

function classifyFailure(error: unknown): FailureConsequence {
  if (error instanceof CrmAutomationOffError) return { isFailure: false }
  if (!(error instanceof PortalError)) return { isFailure: true }
  const { verdict, until, message } = error
  // A step that was blocked resumes when the automation is unblocked.
  if (verdict === 'operating' || verdict === 'blocked') return { isFailure: false, until }
  if (verdict === 'denied' || (verdict === 'item' && /access denied/i.test(message))) {
    return { isFailure: true, hold: 'blocked' }
  }
  return verdict === 'attention' || verdict === 'item' ? { isFailure: true, hold: 'attention' } : { isFailure: true }
}

/** Schedules the next run of a failed step. It continues with the page that failed. */
export async function recordCrmStepFailure(config: Config, sql: Sql, name: string, error: unknown): Promise<void> {
  const { hold, until, isFailure } = classifyFailure(error)
  const code = error instanceof PortalError ? error.code : null
  await sql.query({
    text: `UPDATE crm_steps SET hold = $2, error_code = $3, failures = failures + $4::boolean::int,
                  last_error = CASE WHEN $7::boolean THEN NULL ELSE last_error END,
                  due_at = CASE WHEN $4 THEN ${nextRetryTimeSql('$5')} ELSE coalesce($6::timestamptz, now()) END
            WHERE name = $1`,
    values: [
      name,
      hold,
      code,
      isFailure,
      config.CRM_FETCH_RETRY_DELAY_SECONDS,
      until,
      error instanceof CrmAutomationOffError,
    ],
  })
}

/** The row of crm_steps that stores for all processes when loads of past calls resume. */
const LOADS_ROW_NAME = 'loads'

/** True while loads of past calls are suspended because the portal is down. */
export const HISTORY_LOADS_SUSPENDED_SQL = `EXISTS (SELECT FROM crm_steps WHERE name = '${LOADS_ROW_NAME}' AND due_at > now())`

/** Suspends loads of past calls after an outage, longer each time. Several processes count the same outage once. */
export async function suspendHistoryLoads({ pool, config }: Core): Promise<void> {
  await pool.query({
    text: `INSERT INTO crm_steps AS s (name, failures, due_at) VALUES ('${LOADS_ROW_NAME}', 1, now() + make_interval(secs => $1::float8))
           ON CONFLICT (name) DO UPDATE
              SET failures = s.failures + 1, due_at = ${nextRetryTimeSql('$1', `${MAX_CRM_RETRY_PAUSE_SECONDS}`, 's.failures')}
            WHERE s.due_at <= now()`,
    values: [config.CRM_FETCH_RETRY_DELAY_SECONDS],
  })
}

/** Resumes history loads and background steps that wait after failures. Call it when the portal has responded. */
export async function resumeWaitingPortalWork(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE crm_steps SET due_at = now(), failures = 0
            WHERE name IN ('${LOADS_ROW_NAME}', 'files', 'matches', 'match-backlog') AND failures > 0 AND lease_until IS NULL`,
  })
}

/** Portal work that does not appear in the list of steps. */
interface BackgroundStep extends Pick<Step, 'intervalSeconds' | 'pages'> {
  name: 'files' | 'matches' | 'match-backlog'
  isReady: (core: Core) => Promise<boolean>
  /** The first and the longest pause after a failure, in seconds. The pause doubles. The defaults are those of steps. */
  pauses?: { first: number; longest: number }
  /** The reason of a failure that the portal did not cause. */
  notStored: Message
}

/** Creates a step of the scheduler for background work with the portal. Pauses double while it fails. */
export function createCrmBackgroundStep({ name, pauses, notStored, ...step }: BackgroundStep): Step {
  return {
    ...step,
    name: `crm ${name}`,
    table: 'crm_steps',
    keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name } : undefined),
    leaseSeconds: 120,
    async end(_, sql) {
      await sql.query({ text: 'UPDATE crm_steps SET failures = 0 WHERE name = $1', values: [name] })
    },
    reasonOf: (error) => (error instanceof PortalFailure ? error.reason : notStored),
    async failed({ config }, sql, _, error) {
      if (error instanceof CrmAutomationOffError) return
      await sql.query({
        text: `UPDATE crm_steps SET failures = failures + 1, due_at = ${nextRetryTimeSql('$2', '$3')} WHERE name = $1`,
        values: [
          name,
          pauses?.first ?? config.CRM_FETCH_RETRY_DELAY_SECONDS,
          pauses?.longest ?? MAX_CRM_RETRY_PAUSE_SECONDS,
        ],
      })
    },
    isHarmless: (error) => error instanceof PortalFailure,
  }
}
