import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { recordingCountersSql } from './counts.ts'
import {
  CALL_DIRECTIONS,
  CALL_SOURCES,
  RECORDING_STATUSES,
  type CallDirection,
  type CallSource,
  type RecordingStatus,
} from '../recordings/entity.ts'
import type { RecordingFilterValues } from './filters.ts'
import { MAX_FACET_MANAGERS, type RecordingFacetsJson } from './overview-schema.ts'
import { createRecordingSelection } from './create-selection.ts'
import { recordingSelectionCondition, type RecordingSelection } from './selection.ts'

interface FacetRow {
  status: RecordingStatus
  source: CallSource
  direction: CallDirection | null
  manager: string | null
  departmentId: string | null
  departmentName: string | null
  n: number
}

/** Counts the filtered recordings by status, direction, source, manager and department. */
export async function loadRecordingFacets(
  core: Core,
  actor: Actor,
  filters: RecordingFilterValues,
): Promise<RecordingFacetsJson> {
  const sql = core.pool
  const selection = await createRecordingSelection(core, sql, actor, filters, { transcripts: false })
  const p = new SqlParameters()
  const { rows } = await sql.query<FacetRow>({
    text: `SELECT counted.*, k.name AS manager, d.id AS "departmentId", d.name AS "departmentName"
             FROM (SELECT status, source, direction, manager_id AS "managerId", ${countFacetsSql(p, selection)}
                    GROUP BY status, source, direction, manager_id) AS counted
             LEFT JOIN managers k ON k.id = counted."managerId"
             LEFT JOIN department_managers m ON m.manager_id = counted."managerId"
             LEFT JOIN departments d ON d.id = m.department_id`,
    values: p.values,
  })
  return presentFacets(rows.filter(({ n }) => n > 0))
}

/** Returns SQL that counts recordings from the counters if they cover all conditions, otherwise from the rows. */
function countFacetsSql(p: SqlParameters, selection: RecordingSelection): string {
  const { flags, manager, ranges, others, found } = selection
  return !found && ranges.length === 0 && others.length === 0
    ? `sum(n)::integer AS n FROM ${recordingCountersSql('manager')} WHERE ${p.and([...flags, ...manager])}`
    : `count(*)::integer AS n FROM recordings r WHERE ${p.and(recordingSelectionCondition(selection))}`
}

function presentFacets(rows: FacetRow[]): RecordingFacetsJson {
  const count = <K extends string>(keys: readonly K[], column: 'status' | 'direction' | 'source') => {
    const counts: Map<string | null, number> = sumBy(rows, column)
    return Object.fromEntries(keys.map((key) => [key, counts.get(key) ?? 0])) as Record<K, number>
  }
  // Use maps, because a manager's name can equal a property of every object.
  const managers = Array.from(sumBy(rows, 'manager'), ([name, count]) => ({ name: name!, count }))
  const names = new Map(rows.map((row) => [row.departmentId, row.departmentName]))
  const departments = Array.from(sumBy(rows, 'departmentId'), ([id, n]) => ({
    id: id!,
    name: names.get(id)!,
    count: n,
  }))
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    status: count(RECORDING_STATUSES, 'status'),
    direction: count(CALL_DIRECTIONS, 'direction'),
    source: count(CALL_SOURCES, 'source'),
    managers: managers
      .filter(({ name }) => name !== null)
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_FACET_MANAGERS),
    departments: departments
      .filter(({ id }) => id !== null)
      .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)),
  }
}

/** Sums the number of recordings for each value of a column. */
function sumBy<C extends Exclude<keyof FacetRow, 'n'>>(rows: FacetRow[], column: C): Map<FacetRow[C], number> {
  const sums = new Map<FacetRow[C], number>()
  for (const row of rows) sums.set(row[column], (sums.get(row[column]) ?? 0) + row.n)
  return sums
}
