import type { Sql } from '../../platform/db/sql.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import type { Language } from '../../check/rules/types.ts'

type LocalizedName = Record<Language, string>

/** A rule in reports: one for all versions of its set. */
export interface RuleNames {
  set: { key: string; name: LocalizedName }
  rule: { key: string; name: LocalizedName }
}

interface NamedRule extends RuleNames {
  /** Its position among all rules. */
  position: number
}

interface VersionRule {
  versionId: string
  ruleKey: string
}

/** Finds the rule of a version. Its id, as in the filter `rule`, is the same in all versions. */
export type RuleFinder = (rule: VersionRule) => { id: string; named: NamedRule }

/** Loads the names of rules. If versions name a rule differently, the newest name counts. */
export async function loadRuleFinder(sql: Sql, used: Pick<VersionRule, 'versionId'>[]): Promise<RuleFinder> {
  const versionIds = [...new Set(used.map(({ versionId }) => versionId))]
  const { rows } = await sql.query<{ id: string; key: string; name: LocalizedName; position: number }>({
    text: `SELECT v.id, s.key, s.name, s.position FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE v.id = ANY($1::uuid[]) ORDER BY s.created_at, v.number`,
    values: [versionIds],
  })
  const rules = await loadRulesByVersion(sql, versionIds)
  const known = new Map<string, NamedRule>()
  for (const { id, key, name, position } of rows) {
    rules.get(id)?.forEach((rule, n) => {
      const names = { set: { key, name }, rule: { key: rule.key, name: rule.name } }
      known.set(`${key}/${rule.key}`, { ...names, position: 1000 * position + n })
    })
  }
  const keys = new Map(rows.map(({ id, key }) => [id, key]))
  return ({ versionId, ruleKey }) => {
    const id = `${keys.get(versionId) ?? ''}/${ruleKey}`
    return { id, named: known.get(id)! }
  }
}

/** Groups rows by rule, whatever the version. */
export function groupByRule<Row extends VersionRule>(rows: Row[], find: RuleFinder) {
  const groups = new Map<string, { named: NamedRule; rows: Row[] }>()
  for (const row of rows) {
    const { id, named } = find(row)
    if (!groups.has(id)) groups.set(id, { named, rows: [] })
    groups.get(id)!.rows.push(row)
  }
  return [...groups.values()]
}
