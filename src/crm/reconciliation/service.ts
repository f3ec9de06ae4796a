import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { badRequest } from '../../errors.ts'
import type { Actor } from '../../http/access.ts'
import { dayOf, parseDayOrTime } from '../../lib/time.ts'
import { managersSeenBy } from '../../managers/visibility.ts'
import { statsMessages } from '../../stats/messages.ts'
import type { Counts, DayCounts } from './schema.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 92
const DAY_MS = 86_400_000

/** Calls that stand alike. */
interface Standing {
  state: string
  reason: string | null
  status: string | null
  calls: number
}

interface GroupRow extends Standing {
  day: string
  manager: string | null
}

const STANDING = `c.load_state AS state, c.skip_reason AS reason,
                  CASE WHEN c.load_state = 'received' THEN coalesce(r.status, 'DELETED') END AS status, count(*)::int AS calls`

/** What became of the portal's calls, by day and manager, of those whose calls the actor may see. @throws HttpError 400 */
export async function reconcile(
  core: Core,
  actor: Actor,
  given: { from?: string | undefined; to?: string | undefined },
): Promise<{ days: DayCounts[]; totals: Counts }> {
  const zone = core.config.APP_TIMEZONE
  const { from, to } = readRange(given, zone)
  const seen = managersSeenBy(actor)
  const { rows } = await core.pool.query<GroupRow>({
    text: `SELECT to_char(c.started_at AT TIME ZONE $3, 'YYYY-MM-DD') AS day, coalesce(m.name, u.name, c.user_id) AS manager,
                  ${STANDING}
             FROM crm_calls c LEFT JOIN managers m ON m.crm_user_id = c.user_id LEFT JOIN crm_users u ON u.id = c.user_id
                  LEFT JOIN recordings r ON r.id = c.recording_id
            WHERE c.started_at >= $1::date::timestamp AT TIME ZONE $3 AND c.started_at < ($2::date + 1)::timestamp AT TIME ZONE $3
              AND ($4::uuid[] IS NULL OR m.id = ANY ($4::uuid[]))
            GROUP BY 1, 2, 3, 4, 5 ORDER BY 1 DESC, 2 NULLS LAST`,
    values: [from, to, zone, seen],
  })
  const groups = new Map<string, GroupRow[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.day, row.manager])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const days = [...groups.values()].map((group) => ({
    day: group[0]!.day,
    manager: group[0]!.manager,
    ...countsOf(group),
  }))
  return { days, totals: countsOf(rows) }
}

/** What became of the calls between two moments, by the id of the manager; null for users who are none. */
export async function reconcileManagers(sql: Sql, since: Date, until: Date): Promise<Map<string | null, Counts>> {
  const { rows } = await sql.query<Standing & { managerId: string | null }>({
    text: `SELECT m.id AS "managerId", ${STANDING}
             FROM crm_calls c LEFT JOIN managers m ON m.crm_user_id = c.user_id
                  LEFT JOIN recordings r ON r.id = c.recording_id
            WHERE c.started_at >= $1 AND c.started_at < $2 GROUP BY 1, 2, 3, 4`,
    values: [since, until],
  })
  const managers = [...new Set(rows.map(({ managerId }) => managerId))]
  return new Map(managers.map((id) => [id, countsOf(rows.filter(({ managerId }) => managerId === id))]))
}

/** Every row adds to exactly one count, and so to the sums. */
function countsOf(rows: Standing[]): Counts {
  const sum = (which: (row: Standing) => boolean) => rows.filter(which).reduce((all, { calls }) => all + calls, 0)
  const skipped: Record<string, number> = {}
  for (const { state, reason, calls } of rows) {
    const why = state === 'doubled' ? 'doubled' : state === 'skipped' ? (reason ?? 'unknown') : undefined
    if (why) skipped[why] = (skipped[why] ?? 0) + calls
  }
  const status = (...statuses: string[]) => sum((row) => row.status !== null && statuses.includes(row.status))
  return {
    inCrm: sum(() => true),
    skipped,
    awaitingFile: sum(({ state }) => state === 'awaiting-file'),
    loading: sum(({ state }) => state === 'waiting' || state === 'loading'),
    loadFailed: sum(({ state }) => state === 'failed'),
    received: sum(({ state }) => state === 'received'),
    done: status('DONE'),
    failed: status('FAILED'),
    cancelled: status('CANCELLED'),
    inWork: status('QUEUED', 'PROCESSING'),
    deleted: status('DELETED'),
  }
}

const SUMS = [
  'inCrm',
  'awaitingFile',
  'loading',
  'loadFailed',
  'received',
  'done',
  'failed',
  'cancelled',
  'inWork',
  'deleted',
] as const

export const emptyCounts = (): Counts => countsOf([])

export function sumOfCounts(parts: Counts[]): Counts {
  const total = emptyCounts()
  for (const part of parts) {
    for (const name of SUMS) total[name] += part[name]
    for (const [why, calls] of Object.entries(part.skipped)) total.skipped[why] = (total.skipped[why] ?? 0) + calls
  }
  return total
}

function readRange(given: { from?: string | undefined; to?: string | undefined }, zone: string) {
  const day = (text: string | undefined, otherwise: Date) => dayOf(text ? parseDayOrTime(text, zone)! : otherwise, zone)
  const to = day(given.to, new Date())
  const from = day(given.from, new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS))
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) throw badRequest([statsMessages.backwards().about('from')])
  if (days > MAX_DAYS) throw badRequest([statsMessages.tooLong({ days: MAX_DAYS - 1 }).about('from')])
  return { from, to }
}
