import { effectiveRights } from '../../people/people/present.ts'
import type { ActingPerson } from '../../platform/http/actor.ts'
import type { Where } from '../../platform/lib/where.ts'
import type { Applies } from '../rules/types.ts'

const DEPARTMENTS_OF_SET = `jsonb_array_elements_text(coalesce(s.applies -> 'departmentIds', '[]'))`

/** The rule sets s that a person sees: those for all calls, and those of their departments. */
export function setsSeenBy(me: ActingPerson): Where {
  if (me.role === 'owner') return []
  const sql = `(NOT EXISTS (SELECT FROM ${DEPARTMENTS_OF_SET})
    OR EXISTS (SELECT FROM ${DEPARTMENTS_OF_SET} d WHERE d = ANY(?::text[])))`
  return [{ sql, values: [me.departments.map(({ id }) => id)] }]
}

/** Whether a person can change the rules of a set: an owner any, a head only those of their departments. */
export function mayEdit(me: ActingPerson, { departmentIds = [] }: Applies): boolean {
  if (me.role === 'owner') return true
  if (me.role !== 'head' || !effectiveRights(me).editRules || departmentIds.length === 0) return false
  return departmentIds.every((department) => me.departments.some(({ id }) => id === department.toLowerCase()))
}
