import { computeEffectiveRights } from '../../people/people/present.ts'
import type { ActingPerson } from '../../platform/http/actor.ts'
import type { SqlConditions } from '../../platform/lib/sql-conditions.ts'
import type { RuleSetScope } from '../rules/types.ts'

const SET_DEPARTMENTS_SQL = `jsonb_array_elements_text(coalesce(s.applies -> 'departmentIds', '[]'))`

/** Builds conditions on rule_sets s: an owner sees all rule sets, others see those for all calls and for their departments. */
export function visibleRuleSetConditions(me: ActingPerson): SqlConditions {
  if (me.role === 'owner') return []
  const sql = `(NOT EXISTS (SELECT FROM ${SET_DEPARTMENTS_SQL})
    OR EXISTS (SELECT FROM ${SET_DEPARTMENTS_SQL} d WHERE d = ANY(?::text[])))`
  return [{ sql, values: [me.departments.map(({ id }) => id)] }]
}

/**
 * Returns true if a person can change rule sets of this scope. An owner can change all. A department head with the right
 * `editRules` can change those that are limited to their own departments.
 */
export function canEditRuleSet(me: ActingPerson, { departmentIds = [] }: RuleSetScope): boolean {
  if (me.role === 'owner') return true
  if (me.role !== 'head' || !computeEffectiveRights(me).editRules || departmentIds.length === 0) return false
  return departmentIds.every((department) => me.departments.some(({ id }) => id === department.toLowerCase()))
}
