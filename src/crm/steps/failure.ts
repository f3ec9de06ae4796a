import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import type { StepName } from './schema.ts'

/** A failed step is tried again after CRM_FETCH_RETRY_DELAY_SECONDS, doubled each time up to this. */
export const LONGEST_PAUSE_SECONDS = 3600

/** After so many failures in a row somebody should look at it; it goes on trying. */
export const FAILURES_BEFORE_ATTENTION = 5

/** What the next run of a step waits for. */
interface Consequence {
  hold?: 'attention' | 'blocked'
  /** Until then, where the portal has said so. */
  until?: Date
  isFailure: boolean
}

function consequenceOf(error: unknown): Consequence {
  if (error instanceof CrmNotOn) return { isFailure: false }
  if (!(error instanceof PortalError)) return { isFailure: true }
  const { verdict, until, message } = error
  if (verdict === 'operating') return { isFailure: false, ...(until && { until }) }
  // The automation is blocked as a whole: the step goes on with it.
  if (verdict === 'blocked') return { isFailure: false }
  if (verdict === 'denied' || (verdict === 'item' && /access denied/i.test(message)))
    return { isFailure: true, hold: 'blocked' }
  if (verdict === 'attention' || verdict === 'item') return { isFailure: true, hold: 'attention' }
  return { isFailure: true }
}

/** Writes when a step that broke runs again. Its cursor stays: it goes on with the page that failed. */
export async function noteFailure(config: Config, sql: Sql, name: StepName, error: unknown): Promise<void> {
  const { hold, until, isFailure } = consequenceOf(error)
  const code = error instanceof PortalError ? error.code : null
  await sql.query({
    text: `UPDATE crm_steps SET hold = $2, error_code = $3, failures = failures + $4::boolean::int,
                  last_error = CASE WHEN $7::boolean THEN NULL ELSE last_error END,
                  due_at = CASE WHEN $4 THEN now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS},
                                       $5::float8 * power(2, least(failures, 12))))
                                ELSE coalesce($6::timestamptz, now()) END
            WHERE name = $1`,
    values: [name, hold, code, isFailure, config.CRM_FETCH_RETRY_DELAY_SECONDS, until, error instanceof CrmNotOn],
  })
}
