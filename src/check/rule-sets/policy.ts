import { computeEffectiveRights } from '../../people/people/present.ts'
import type { ActingPerson } from '../../platform/http/actor.ts'
import type { Conditions } from '../../platform/lib/sql-conditions.ts'
import type { RuleSetScope } from '../rules/types.ts'

const SET_DEPARTMENTS_SQL = `jsonb_array_elements_text(coalesce(s.applies -> 'departmentIds', '[]'))`

/** The rule sets s that a person sees: those for all calls, and those of their departments. */
export function visibleRuleSetConditions(me: ActingPerson): Conditions {
  if (me.role === 'owner') return []
  const sql = `(NOT EXISTS (SELECT FROM ${SET_DEPARTMENTS_SQL})
    OR EXISTS (SELECT FROM ${SET_DEPARTMENTS_SQL} d WHERE d = ANY(?::text[])))`
  return [{ sql, values: [me.departments.map(({ id }) => id)] }]
}

/** Whether a person can change the rules of a set: an owner any, a head only those of their departments. */
export function canEditRuleSet(me: ActingPerson, { departmentIds = [] }: RuleSetScope): boolean {
  if (me.role === 'owner') return true
  if (me.role !== 'head' || !computeEffectiveRights(me).editRules || departmentIds.length === 0) return false
  return departmentIds.every((department) => me.departments.some(({ id }) => id === department.toLowerCase()))
}
