import type { Sql } from '../../platform/db/sql.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import type { PhraseLanguage } from '../../check/rules/types.ts'

type LocalizedName = Record<PhraseLanguage, string>

/** Names a rule and its rule set in reports, which combine all versions of the set. */
export interface RuleNames {
  set: { key: string; name: LocalizedName }
  rule: { key: string; name: LocalizedName }
}

interface NamedRule extends RuleNames {
  /** The sort position among the rules of all sets. */
  position: number
}

interface VersionRule {
  versionId: string
  ruleKey: string
}

/** Returns the names and points of a rule of one version. Its id is the same in all versions, as in the filter `rule`. */
export type RuleFinder = (rule: VersionRule) => { id: string; named: NamedRule; points: number }

/** Loads the names of all rules of the versions in `used`. If versions name a rule differently, the newest name wins. */
export async function loadRuleFinder(sql: Sql, used: Pick<VersionRule, 'versionId'>[]): Promise<RuleFinder> {
  const versionIds = [...new Set(used.map(({ versionId }) => versionId))]
  const { rows } = await sql.query<{ id: string; key: string; name: LocalizedName; position: number }>({
    text: `SELECT v.id, s.key, s.name, s.position FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE v.id = ANY($1::uuid[]) ORDER BY s.created_at, v.number`,
    values: [versionIds],
  })
  const rules = await loadRulesByVersion(sql, versionIds)
  const known = new Map<string, NamedRule>()
  const points = new Map<string, number>()
  for (const { id, key, name, position } of rows) {
    rules.get(id)?.forEach((rule, n) => {
      const names = { set: { key, name }, rule: { key: rule.key, name: rule.name } }
      points.set(`${id}/${rule.key}`, rule.weight ?? 0)
      known.set(`${key}/${rule.key}`, { ...names, position: 1000 * position + n })
    })
  }
  const keys = new Map(rows.map(({ id, key }) => [id, key]))
  return ({ versionId, ruleKey }) => {
    const id = `${keys.get(versionId) ?? ''}/${ruleKey}`
    return { id, named: known.get(id)!, points: points.get(`${versionId}/${ruleKey}`) ?? 0 }
  }
}

/** Groups rows by rule across versions, with the newest name of each rule. */
export function groupRowsByRule<Row extends VersionRule>(rows: Row[], find: RuleFinder) {
  const groups = new Map<string, { named: NamedRule; rows: Row[] }>()
  for (const row of rows) {
    const { id, named } = find(row)
    if (!groups.has(id)) groups.set(id, { named, rows: [] })
    groups.get(id)!.rows.push(row)
  }
  return [...groups.values()]
}

/** Sums the points that misses cost, each by the version that judged it. */
export const sumLostPoints = (rows: (VersionRule & { missed: number })[], find: RuleFinder): number =>
  rows.reduce((sum, row) => sum + row.missed * find(row).points, 0)
