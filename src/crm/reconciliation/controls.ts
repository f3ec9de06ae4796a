import type { Sql } from '../../db.ts'
import { LIVE_BEFORE } from '../calls/eligible.ts'
import type { ControlJson } from './schema.ts'

/**
 * Whether every call of a day should be known, as SQL: since the day was over the sweep has read it. Of days before, the
 * portal naturally knows more, also where a load of the past holds them: it reads the calls of the roster alone.
 * @param day as SQL, a date
 * @param zone as SQL, the name of the time zone that the day is of
 */
export const isReadWhole = (day: string, zone: string): string => {
  const [from, to] = [day, `(${day} + 1)`].map((one) => `${one}::timestamp AT TIME ZONE ${zone}`)
  return `EXISTS (SELECT FROM crm_steps s, crm_automation a WHERE s.name = 'calls' AND s.last_success_at > ${to}
                     AND a.enabled_at - ${LIVE_BEFORE} <= ${from})`
}

/**
 * What the nightly control counted in the portal for these days, the newest first, beside what is known here now.
 * @param ours calls by day
 */
export async function readControls(
  sql: Sql,
  { from, to, zone }: { from: string; to: string; zone: string },
  ours: ReadonlyMap<string, number>,
): Promise<ControlJson[]> {
  const { rows } = await sql.query<{
    day: string
    portalCalls: number
    checkedAt: Date
    shrank: boolean
    isWhole: boolean
  }>({
    text: `SELECT c.day::text, c.portal_calls AS "portalCalls", c.checked_at AS "checkedAt", c.shrank_at IS NOT NULL AS shrank,
                  ${isReadWhole('c.day', '$3')} AS "isWhole"
             FROM crm_controls c WHERE c.day >= $1::date AND c.day <= $2::date ORDER BY c.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day, portalCalls, checkedAt, shrank, isWhole }) => {
    const ownCalls = ours.get(day) ?? 0
    const alarm = shrank ? 'fewer' : isWhole && portalCalls > ownCalls ? 'more' : null
    return { day, portalCalls, ownCalls, checkedAt: checkedAt.toISOString(), alarm }
  })
}
