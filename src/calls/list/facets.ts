import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { countsOf } from './counts.ts'
import { DIRECTIONS, SOURCES, STATUSES, type Direction, type Source, type Status } from '../recordings/entity.ts'
import type { Filters } from './filters.ts'
import { MAX_FACET_MANAGERS, type FacetsJson } from './overview-schema.ts'
import { select } from './select.ts'
import { rowsOf, type Selection } from './selection.ts'

interface FacetRow {
  status: Status
  source: Source
  direction: Direction | null
  manager: string | null
  departmentId: string | null
  departmentName: string | null
  n: number
}

/** Counts the filtered recordings by the values of each facet. */
export async function readFacets(core: Core, actor: Actor, filters: Filters): Promise<FacetsJson> {
  const sql = core.pool
  const selection = await select(core, sql, actor, filters, { transcripts: false })
  const p = new Parameters()
  const { rows } = await sql.query<FacetRow>({
    text: `SELECT counted.*, k.name AS manager, d.id AS "departmentId", d.name AS "departmentName"
             FROM (SELECT status, source, direction, manager_id AS "managerId", ${countFacets(p, selection)}
                    GROUP BY status, source, direction, manager_id) AS counted
             LEFT JOIN managers k ON k.id = counted."managerId"
             LEFT JOIN department_managers m ON m.manager_id = counted."managerId"
             LEFT JOIN departments d ON d.id = m.department_id`,
    values: p.values,
  })
  return presentFacets(rows.filter(({ n }) => n > 0))
}

/** From the counters if they know all conditions, else from the rows. */
function countFacets(p: Parameters, selection: Selection): string {
  const { flags, manager, ranges, others, found } = selection
  return !found && ranges.length === 0 && others.length === 0
    ? `sum(n)::integer AS n FROM ${countsOf('manager')} WHERE ${p.and([...flags, ...manager])}`
    : `count(*)::integer AS n FROM recordings r WHERE ${p.and(rowsOf(selection))}`
}

function presentFacets(rows: FacetRow[]): FacetsJson {
  const count = <K extends string>(keys: readonly K[], column: 'status' | 'direction' | 'source') => {
    const counts: Map<string | null, number> = sumBy(rows, column)
    return Object.fromEntries(keys.map((key) => [key, counts.get(key) ?? 0])) as Record<K, number>
  }
  // Maps, because a manager's name can equal a property of every object.
  const managers = Array.from(sumBy(rows, 'manager'), ([name, count]) => ({ name: name!, count }))
  const names = new Map(rows.map((row) => [row.departmentId, row.departmentName]))
  const departments = Array.from(sumBy(rows, 'departmentId'), ([id, n]) => ({
    id: id!,
    name: names.get(id)!,
    count: n,
  }))
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    status: count(STATUSES, 'status'),
    direction: count(DIRECTIONS, 'direction'),
    source: count(SOURCES, 'source'),
    managers: managers
      .filter(({ name }) => name !== null)
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_FACET_MANAGERS),
    departments: departments
      .filter(({ id }) => id !== null)
      .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)),
  }
}

/** The recordings of each value of a column. */
function sumBy<C extends Exclude<keyof FacetRow, 'n'>>(rows: FacetRow[], column: C): Map<FacetRow[C], number> {
  const sums = new Map<FacetRow[C], number>()
  for (const row of rows) sums.set(row[column], (sums.get(row[column]) ?? 0) + row.n)
  return sums
}
