import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RuleSetSummaryJson, RuleSetVersionSummaryJson } from '../../check/rule-sets/schema.ts'
import type { Language } from '../frame/i18n.ts'

type Applies = RuleSetSummaryJson['applies']

/** Summarizes the calls to which a rule set applies. Names only departments that the person can see. */
export function formatRuleSetScope(
  { direction, departmentIds = [], minDurationSeconds, minWords }: Applies,
  departments: Pick<DepartmentJson, 'id' | 'name'>[],
  { words, format }: Language,
): string {
  const t = words.ruleSets.applies
  const directions = (direction ?? []).map((one) => t.directions[one ?? 'none'])
  const names = departmentIds.map((id) => {
    const name = departments.find((department) => department.id === id)?.name
    return name === undefined ? t.otherDepartment : t.department(name)
  })
  const parts = [
    directions.length > 0 && directions.length < 3 ? directions.join(', ') : t.all,
    ...names,
    ...(minDurationSeconds ? [t.seconds(minDurationSeconds, format.number(minDurationSeconds))] : []),
    ...(minWords ? [t.words(minWords, format.number(minWords))] : []),
  ]
  return parts.join(' · ')
}

/** Builds a row in a list of rule sets. */
export function buildRuleSetRow(set: RuleSetSummaryJson, departments: DepartmentJson[], language: Language) {
  const { words, format } = language
  const t = words.ruleSets
  return {
    id: set.id,
    href: `/rule-sets/${set.id}`,
    name: set.name[language.code],
    mode: t.modes[set.mode],
    applies: formatRuleSetScope(set.applies, departments, language),
    version: set.version === null ? t.notPublished : t.version(format.number(set.version)),
    isPublished: set.version !== null,
    publishedAt: set.publishedAt && { iso: set.publishedAt, text: format.shortTime(set.publishedAt) },
    draft: set.hasDraft ? { href: `/rule-sets/${set.id}/draft`, text: t.hasDraft } : null,
    mayEdit: set.mayEdit,
  }
}

/** Builds a row in the list of a rule set's versions. A draft links to its editor. */
export function buildRuleSetVersionRow(version: RuleSetVersionSummaryJson, setId: string, { words, format }: Language) {
  const t = words.ruleSets
  const at = version.publishedAt ?? version.createdAt
  return {
    href: version.state === 'draft' ? `/rule-sets/${setId}/draft` : `/rule-sets/${setId}/versions/${version.version}`,
    name: t.versionTitle(format.number(version.version)),
    state: version.state,
    stateText: t.states[version.state],
    note: version.note ?? '',
    by: (version.publisher ?? version.author)?.name ?? t.fromService,
    isPerson: Boolean(version.publisher ?? version.author),
    at: { iso: at, text: format.shortTime(at) },
  }
}
