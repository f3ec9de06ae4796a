import type { Sql } from '../../platform/db/sql.ts'
import { readRules } from '../../check/checks/sets.ts'
import type { Language } from '../../check/rules/types.ts'

type Names = Record<Language, string>

/** A rule as reports name it: the same through all versions of its set. */
export interface NamedRule {
  set: { key: string; name: Names }
  rule: { key: string; name: Names }
  position: number
}

/** The rule of a version, and by what it is told from others: one name for all versions of a rule. */
export type RuleFinder = (versionId: string, ruleKey: string) => { id: string; named: NamedRule }

/** Finds rules of versions; where versions word a rule otherwise, the newest of them says how it is called. */
export async function findRules(sql: Sql, versionIds: string[]): Promise<RuleFinder> {
  const { rows } = await sql.query<{ id: string; key: string; name: Names; position: number }>({
    text: `SELECT v.id, s.key, s.name, s.position FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE v.id = ANY($1::uuid[]) ORDER BY s.created_at, v.number`,
    values: [versionIds],
  })
  const rules = await readRules(sql, versionIds)
  const known = new Map<string, NamedRule>()
  for (const { id, key, name, position } of rows) {
    rules.get(id)?.forEach((rule, n) => {
      known.set(idOf(key, rule.key), {
        set: { key, name },
        rule: { key: rule.key, name: rule.name },
        position: 1000 * position + n,
      })
    })
  }
  const keys = new Map(rows.map(({ id, key }) => [id, key]))
  return (versionId, ruleKey) => {
    const id = idOf(keys.get(versionId) ?? '', ruleKey)
    return { id, named: known.get(id)! }
  }
}

/** As the filter rule of the lists has it. */
const idOf = (set: string, rule: string): string => `${set}/${rule}`
