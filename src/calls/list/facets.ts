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

/** How many recordings of what the filters choose have each value. */
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

/** From the counters where they can tell, else from the rows. */
function countFacets(p: Parameters, selection: Selection): string {
  const { flags, manager, ranges, others, found } = selection
  return !found && ranges.length === 0 && others.length === 0
    ? `sum(n)::integer AS n FROM ${countsOf('manager')} WHERE ${p.and([...flags, ...manager])}`
    : `count(*)::integer AS n FROM recordings r WHERE ${p.and(rowsOf(selection))}`
}

function presentFacets(rows: FacetRow[]): FacetsJson {
  const count = <K extends string>(keys: readonly K[], of: (row: FacetRow) => K | null) => {
    const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>
    for (const row of rows) {
      const key = of(row)
      if (key !== null) counts[key] = (counts[key] ?? 0) + row.n
    }
    return counts
  }
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    status: count(STATUSES, ({ status }) => status),
    direction: count(DIRECTIONS, ({ direction }) => direction),
    source: count(SOURCES, ({ source }) => source),
    managers: countManagers(rows),
    departments: countDepartments(rows),
  }
}

/** Those with most calls first. A map: a manager may be called like what every object has. */
function countManagers(rows: FacetRow[]): FacetsJson['managers'] {
  const counts = new Map<string, number>()
  for (const { manager, n } of rows) if (manager !== null) counts.set(manager, (counts.get(manager) ?? 0) + n)
  const managers = Array.from(counts, ([name, count]) => ({ name, count }))
  return managers.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)).slice(0, MAX_FACET_MANAGERS)
}

/** By name, as a person looks for them. */
function countDepartments(rows: FacetRow[]): FacetsJson['departments'] {
  const counted = new Map<string, FacetsJson['departments'][number]>()
  for (const { departmentId: id, departmentName: name, n } of rows) {
    if (id === null) continue
    counted.set(id, { id, name: name!, count: (counted.get(id)?.count ?? 0) + n })
  }
  return [...counted.values()].sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
}
