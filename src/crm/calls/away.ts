import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { LONGEST_PAUSE_SECONDS } from '../steps/failure.ts'

/** The row among the steps by which all processes together know when calls of the history are asked for again. */
const LOADS = 'loads'

/** While a portal that is away is left alone, as a condition. */
export const LEFT_ALONE = `EXISTS (SELECT FROM crm_steps WHERE name = '${LOADS}' AND due_at > now())`

/** Has the history wait longer and longer; processes that meet the same outage at once count it once. */
export async function noteAway({ pool, config }: Core): Promise<void> {
  await pool.query({
    text: `INSERT INTO crm_steps AS s (name, failures, due_at) VALUES ('${LOADS}', 1, now() + make_interval(secs => $1::float8))
           ON CONFLICT (name) DO UPDATE SET failures = s.failures + 1,
             due_at = now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, $1::float8 * power(2, least(s.failures, 12))))
            WHERE s.due_at <= now()`,
    values: [config.CRM_FETCH_RETRY_DELAY_SECONDS],
  })
}

/** The portal has answered: what waits besides the steps goes on at once. */
export async function noteBack(sql: Sql): Promise<void> {
  await sql.query({
    text: `UPDATE crm_steps SET due_at = now(), failures = 0
            WHERE name IN ('${LOADS}', 'files', 'matches') AND failures > 0 AND lease_until IS NULL`,
  })
}
