import type { ActingPerson } from '../../platform/http/actor.ts'
import type { Applies } from '../rules/types.ts'
import { effectiveRights } from '../../people/people/present.ts'

const DEPARTMENTS_OF_SET = `jsonb_array_elements_text(coalesce(s.applies -> 'departmentIds', '[]'))`

/** Which rule sets s a person sees, with the parameter that it needs: those for everybody's calls, and those of their departments. */
export function setsSeenBy(me: ActingPerson, parameter: string): { condition: string; values: unknown[] } {
  if (me.role === 'owner') return { condition: 'true', values: [] }
  const condition = `(NOT EXISTS (SELECT FROM ${DEPARTMENTS_OF_SET})
    OR EXISTS (SELECT FROM ${DEPARTMENTS_OF_SET} d WHERE d = ANY(${parameter}::text[])))`
  return { condition, values: [me.departments.map(({ id }) => id)] }
}

/** Whether somebody may change the rules of a set: an owner any, a head those that are bound to their departments alone. */
export function mayEdit(me: ActingPerson, { departmentIds = [] }: Applies): boolean {
  if (me.role === 'owner') return true
  if (me.role !== 'head' || !effectiveRights(me).editRules || departmentIds.length === 0) return false
  return departmentIds.every((department) => me.departments.some(({ id }) => id === department.toLowerCase()))
}
