import type { Sql } from '../../platform/db/sql.ts'
import { isReadWhole } from '../calls/periods.ts'
import type { ControlJson, DayCounts } from './schema.ts'

/** Days, both inclusive, in their time zone. */
export interface Range {
  from: string
  to: string
  zone: string
}

/** Reads what the nightly control counted in the portal, newest day first, beside our counts. */
export async function readControls(sql: Sql, { from, to, zone }: Range, ours: DayCounts[]): Promise<ControlJson[]> {
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
    const ownCalls = ours.reduce((sum, one) => sum + (one.day === day ? one.inCrm : 0), 0)
    const alarm = shrank ? 'fewer' : isWhole && portalCalls > ownCalls ? 'more' : null
    return { day, portalCalls, ownCalls, checkedAt: checkedAt.toISOString(), alarm }
  })
}

/** Lists the past days of a range that were not fully read, newest first. */
export async function listUnreadDays(sql: Sql, { from, to, zone }: Range): Promise<string[]> {
  const { rows } = await sql.query<{ day: string }>({
    text: `SELECT d.day::date::text AS day
             FROM generate_series($1::date::timestamp, least($2::date, (now() AT TIME ZONE $3)::date - 1)::timestamp, interval '1 day') AS d (day)
            WHERE NOT ${isReadWhole('d.day::date', '$3')} ORDER BY d.day DESC`,
    values: [from, to, zone],
  })
  return rows.map(({ day }) => day)
}
