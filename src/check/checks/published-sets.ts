import type { Sql } from '../../platform/db/sql.ts'
import { where, type Conditions } from '../../platform/lib/sql-conditions.ts'
import { RULE_SET_ORDER_SQL } from '../rule-sets/present.ts'
import type { RuleSetScope, Dialogue, Rule, RuleSetBody } from '../rules/types.ts'
import { splitWords } from '../rules/words.ts'

/** A rule set in use, with its published rules. */
export interface PublishedRuleSet {
  id: string
  versionId: string
  version: number
  body: RuleSetBody
}

type PublishedRuleSetRow = Omit<RuleSetBody, 'rules'> & Omit<PublishedRuleSet, 'body'>

/** Rules by version. Published versions never change; they are few, and judging caches what it compiles with these objects. */
const rulesByVersion = new Map<string, Rule[]>()

/** All sets in use, in the order of their use. */
export async function loadPublishedRuleSets(sql: Sql): Promise<PublishedRuleSet[]> {
  const { rows } = await sql.query<PublishedRuleSetRow>({
    text: `SELECT s.id, s.key, s.name, s.mode, s.applies, v.id AS "versionId", v.number AS version
             FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL ORDER BY ${RULE_SET_ORDER_SQL}`,
  })
  const versionIds = rows.map(({ versionId }) => versionId)
  const rules = await loadRulesByVersion(sql, versionIds)
  return rows.map(({ id, versionId, version, ...set }) => ({
    id,
    versionId,
    version,
    body: { ...set, rules: rules.get(versionId)! },
  }))
}

/** Loads the rules of versions. Cached, because versions never change. */
export async function loadRulesByVersion(sql: Sql, versionIds: string[]): Promise<ReadonlyMap<string, Rule[]>> {
  const missing = versionIds.filter((id) => !rulesByVersion.has(id))
  if (missing.length > 0) {
    const { rows } = await sql.query<{ id: string; rules: Rule[] }>({
      text: `SELECT id, rules FROM rule_set_versions WHERE id = ANY($1::uuid[]) AND state <> 'draft'`,
      values: [missing],
    })
    for (const { id, rules } of rows) rulesByVersion.set(id, rules)
  }
  return rulesByVersion
}

/** A call as far as the scope of a rule set needs it. */
export interface SetCandidate {
  dialogue: Pick<Dialogue, 'direction' | 'durationSeconds'> & { segments: { text: string }[] }
  departmentId: string | null
}

/** The sets that judge a call: the first score set that applies, and every label set. */
export function selectRuleSets(sets: PublishedRuleSet[], call: SetCandidate) {
  const applicable = sets.filter(({ body }) => isRuleSetApplicable(body, call))
  return {
    score: applicable.find(({ body }) => body.mode === 'score'),
    labels: applicable.filter(({ body }) => body.mode === 'label'),
  }
}

/** Whether a rule set applies to a call: its direction, its department, and the amount of text. */
export function isRuleSetApplicable(
  { applies = {} }: Pick<RuleSetBody, 'applies'>,
  { dialogue, departmentId }: SetCandidate,
): boolean {
  const { direction, departmentIds = [], minDurationSeconds = 0, minWords = 0 } = applies
  if (direction && !direction.includes(dialogue.direction)) return false
  if (departmentIds.length > 0 && !(departmentId && departmentIds.includes(departmentId))) return false
  return dialogue.durationSeconds >= minDurationSeconds && hasMinWords(dialogue, minWords)
}

function hasMinWords({ segments }: SetCandidate['dialogue'], minWordCount: number): boolean {
  let remaining = minWordCount
  for (const { text } of segments) {
    const words = splitWords(text)
    while (remaining > 0 && !words.next().done) remaining--
    if (remaining <= 0) return true
  }
  return remaining <= 0
}

/** The same as conditions on recordings r, except for the number of words, which the database does not know. */
export function ruleSetScopeConditions({
  direction,
  departmentIds = [],
  minDurationSeconds,
}: RuleSetScope = {}): Conditions {
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
