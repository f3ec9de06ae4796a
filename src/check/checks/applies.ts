import { where, type Where } from '../../platform/lib/where.ts'
import type { Applies } from '../rules/types.ts'

/**
 * To which calls a set applies, as conditions on recordings r: as far as the database can tell. How many words were said is
 * told by whoever judges the call (rules/applies.ts).
 */
export function whereApplies({ direction, departmentIds = [], minDurationSeconds }: Applies = {}): Where {
  const departments = departmentIds.length > 0 ? departmentIds : undefined
  return where(
    [`coalesce(r.direction, '') = ANY(?::text[])`, direction?.map((one) => one ?? '')],
    [`coalesce(r.duration_seconds, 'Infinity') >= ?::float8`, minDurationSeconds],
    [
      'r.manager_id = ANY(ARRAY(SELECT m.manager_id FROM department_managers m WHERE m.department_id = ANY(?::uuid[])))',
      departments,
    ],
  )
}
