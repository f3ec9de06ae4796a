import type { Sql } from '../platform/db/sql.ts'
import type { Actor } from '../platform/http/actor.ts'
import type { Core } from '../platform/core.ts'
import { Parameters, type Where } from '../platform/lib/where.ts'
import { seesAll, visibleTo } from '../people/managers/visibility.ts'
import { asksForNobody, ofManagers } from '../calls/list/select.ts'

/** Whom a report is asked about. */
export interface Narrowing {
  manager?: string
  department?: string
}

/**
 * The managers that a report tells of: calls count for who made them, deals for who is responsible. Null where nothing
 * narrows it: then what belongs to nobody is told too; null among them where just that is asked for.
 */
export async function managersOf({ pool }: Core, actor: Actor, narrowing: Narrowing): Promise<Managers> {
  const p = new Parameters()
  const conditions = [...visibleTo(actor), ...ofManagers(narrowing)]
  if (conditions.length === 0) return null
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT id FROM (SELECT id, coalesce(same_as, id) AS manager_id FROM managers) r
            WHERE ${p.and(conditions)} ORDER BY 1`,
    values: p.values,
  })
  const ids = rows.map(({ id }) => id)
  const isOfNobody = seesAll(actor) && narrowing.department === undefined && asksForNobody(narrowing.manager)
  return isOfNobody ? [...ids, null] : ids
}

/** Those whom a report tells of: null for all of them, and within for nobody. */
export type Managers = (string | null)[] | null

/** Rows of those managers, by the column that names them. */
export function of(managers: Managers, column = 'r.manager_id'): Where {
  if (managers === null) return []
  const sql = `${column} = ANY(?::uuid[])`
  const values = [managers.filter((id) => id !== null)]
  return [{ sql: managers.includes(null) ? `(${sql} OR ${column} IS NULL)` : sql, values }]
}

/** What managers are called, by id. */
export async function readNames(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM managers WHERE id = ANY($1::uuid[])',
    values: [ids],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
