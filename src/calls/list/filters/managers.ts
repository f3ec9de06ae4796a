import { managerIdsByNamesSql } from '../../../people/managers/name-sql.ts'
import { normalizeWhitespace } from '../../../platform/lib/whitespace.ts'
import {
  escapeLikePattern,
  toConditions,
  type SqlCondition,
  type SqlConditions,
} from '../../../platform/lib/sql-conditions.ts'
import * as field from '../../../platform/http/field.ts'
import { defineRecordingFilter } from './filter.ts'

const NO_MANAGER = '""'
const parseNameParts = (managers: string): string[] => managers.split('|').map(normalizeWhitespace).filter(Boolean)

export const managerNameFilter = defineRecordingFilter(
  field.singleLine(
    255,
    'A part of the manager’s name, in any case; е and ё are equal. The separator | separates alternatives. A name ' +
      'in double quotes must match as a whole. Two double quotes alone match calls without a manager.',
  ),
  { counters: 'manager', where: nameFilterCondition },
)

export const departmentFilter = defineRecordingFilter(field.id('The id of the manager’s department.'), {
  counters: 'manager',
  where: departmentCondition,
})

/** Returns conditions on recordings r, by parts of the manager's name separated by | and by the id of the manager's department. */
export const managerFilterCondition = (query: { manager?: string; department?: string }): SqlConditions => [
  ...(query.manager === undefined ? [] : nameFilterCondition(query.manager)),
  ...(query.department === undefined ? [] : departmentCondition(query.department)),
]

/**
 * Returns true if the filter can match calls without a manager.
 * @param managers name parts separated by |
 */
export const canMatchCallsWithoutManager = (managers: string | undefined): boolean =>
  parseNameParts(managers ?? '').includes(NO_MANAGER)

function nameFilterCondition(managers: string): SqlConditions {
  const conditions = parseNameParts(managers).map(namePartCondition)
  if (conditions.length === 0) return []
  return [
    { sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`, values: conditions.flatMap(({ values }) => values) },
  ]
}

/** Compares the names of managers instead of calls, because there are far fewer: 91 ms instead of 192 ms for 145,000 calls. */
const NAME_LIKE_SQL = `r.manager_id = ANY(
  ARRAY(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE folded_name(k.name) LIKE folded_name(?) ESCAPE '!'))`

function namePartCondition(part: string): SqlCondition {
  if (part === NO_MANAGER) return { sql: 'r.manager_id IS NULL', values: [] }
  const [, exactName] = /^"(.+)"$/.exec(part) ?? []
  return exactName === undefined
    ? { sql: NAME_LIKE_SQL, values: [`%${escapeLikePattern(part)}%`] }
    : { sql: `r.manager_id = ANY(ARRAY(${managerIdsByNamesSql('ARRAY[?]')}))`, values: [exactName] }
}

/** The roster is an array, so that Postgres uses the index by manager. */
function departmentCondition(id: string): SqlConditions {
  const roster = 'SELECT m.manager_id FROM department_managers m WHERE m.department_id = ?::uuid'
  return toConditions([`r.manager_id = ANY(ARRAY(${roster}))`, id])
}
