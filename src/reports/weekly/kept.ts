import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import type { ManagerRow } from './gather.ts'
import type { WeeklyJson } from './schema.ts'

/** A report of all managers, before anybody's rights are asked for. */
export interface Whole {
  week: string
  state: WeeklyJson['state']
  madeAt: Date
  timezone: string
  managers: ManagerRow[]
}

/** A row of weekly_reports; each change of it has another version. */
interface Kept extends Whole {
  version: string
}

/** So many are held as they were read: half a megabyte of JSON each in a company of a hundred managers. */
const HELD = 4
const held = new WeakMap<Sql, Map<string, Kept>>()

/**
 * The report of a week as it was kept; nobody may change what is answered. It is read and parsed once: who asks again only
 * asks Postgres whether it is still the same.
 */
export async function readKept({ pool }: Pick<Core, 'pool'>, week: string): Promise<Whole | undefined> {
  const known = held.get(pool)?.get(week)
  if (known && known.version === (await readVersion(pool, week))) return known
  const { rows } = await pool.query<Kept>({
    text: `SELECT week, state, made_at AS "madeAt", timezone, managers, xmin::text AS version FROM weekly_reports WHERE week = $1`,
    values: [week],
  })
  const [found] = rows
  if (found) hold(pool, found)
  return found
}

async function readVersion(sql: Sql, week: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ version: string }>({
    text: 'SELECT xmin::text AS version FROM weekly_reports WHERE week = $1',
    values: [week],
  })
  return rows[0]?.version
}

/** The last ones that were read, of each database. */
function hold(sql: Sql, kept: Kept): void {
  const ours = held.get(sql) ?? new Map<string, Kept>()
  held.set(sql, ours)
  ours.delete(kept.week)
  ours.set(kept.week, kept)
  if (ours.size > HELD) ours.delete(ours.keys().next().value!)
}

/** The weeks of the last year that have a report, the last one first. */
export async function readWeeks({ pool }: Pick<Core, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ week: string }>({
    text: 'SELECT week FROM weekly_reports ORDER BY week DESC LIMIT 53',
  })
  return rows.map(({ week }) => week)
}
