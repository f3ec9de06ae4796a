import type { Sql } from '../../platform/db/sql.ts'
import { toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { RULE_SET_ORDER_SQL } from '../rule-sets/present.ts'
import type { RuleSetScope, Dialogue, Rule, RuleSetBody } from '../rules/types.ts'
import { splitWords } from '../rules/words.ts'
import { analysisMessages } from './messages.ts'

/** A rule set that is not archived, with the rules of its published version. */
export interface PublishedRuleSet {
  id: string
  versionId: string
  version: number
  body: RuleSetBody
}

type PublishedRuleSetRow = Omit<RuleSetBody, 'rules'> & Omit<PublishedRuleSet, 'body'>

/** Caches the rules of published and retired versions. These are few and immutable, and compiled phrases are cached by object. */
const rulesByVersion = new Map<string, Rule[]>()

/** Loads the published rule sets in the order in which they are tried. */
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

/** Loads the rules of published or retired versions by version id. The result is a cache and can contain other versions. */
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

/** The properties of a call that decide which rule sets apply. */
export interface RuleSetCandidateCall {
  dialogue: Pick<Dialogue, 'direction' | 'durationSeconds'> & { segments: { text: string }[] }
  departmentId: string | null
}

/**
 * Selects the rule sets that judge a call: the first applicable score set and all applicable label sets.
 * @param sets in the order of loadPublishedRuleSets()
 */
export function selectApplicableRuleSets(sets: PublishedRuleSet[], call: RuleSetCandidateCall) {
  const applicable = sets.filter(({ body }) => isRuleSetApplicable(body, call))
  return {
    score: applicable.find(({ body }) => body.mode === 'score'),
    labels: applicable.filter(({ body }) => body.mode === 'label'),
  }
}

/** Returns true if direction, department, duration and number of words of a call fit the scope of a rule set. */
export function isRuleSetApplicable(body: Pick<RuleSetBody, 'applies'>, call: RuleSetCandidateCall): boolean {
  const { minDurationSeconds = 0, minWords = 0 } = body.applies ?? {}
  const { dialogue } = call
  return isInScope(body, call) && dialogue.durationSeconds >= minDurationSeconds && hasMinWords(dialogue, minWords)
}

/** Returns true if direction and department of a call fit the scope of a rule set. */
function isInScope(
  { applies: { direction, departmentIds = [] } = {} }: Pick<RuleSetBody, 'applies'>,
  { dialogue, departmentId }: RuleSetCandidateCall,
): boolean {
  if (direction && !direction.includes(dialogue.direction)) return false
  return departmentIds.length === 0 || (departmentId !== null && departmentIds.includes(departmentId))
}

/** The code of the reason why no score set applies to a call, with its figures if it has any. */
export interface MissingScoreReason {
  code: 'noRuleSet' | 'tooShort' | 'tooFewWords'
  message: Message | null
}

/** Explains why no score set applies to a call. Among the sets of its direction and department, the lowest limit is reported. */
export function explainMissingScore(sets: PublishedRuleSet[], call: RuleSetCandidateCall): MissingScoreReason {
  const scopes = sets.flatMap(({ body }) =>
    body.mode === 'score' && isInScope(body, call) ? (body.applies ?? {}) : [],
  )
  if (scopes.length === 0) return { code: 'noRuleSet', message: null }
  const seconds = Math.min(...scopes.map(({ minDurationSeconds = 0 }) => minDurationSeconds))
  if (call.dialogue.durationSeconds < seconds)
    return { code: 'tooShort', message: analysisMessages.tooShort({ seconds }) }
  const longEnough = scopes.filter(({ minDurationSeconds = 0 }) => call.dialogue.durationSeconds >= minDurationSeconds)
  const words = Math.min(...longEnough.map(({ minWords = 0 }) => minWords))
  return { code: 'tooFewWords', message: analysisMessages.tooFewWords({ words }) }
}

function hasMinWords({ segments }: RuleSetCandidateCall['dialogue'], minWordCount: number): boolean {
  let remaining = minWordCount
  for (const { text } of segments) {
    const words = splitWords(text)
    while (remaining > 0 && !words.next().done) remaining--
    if (remaining <= 0) return true
  }
  return remaining <= 0
}

/** Builds the scope of a rule set as conditions on recordings r. They ignore `minWords`, because no column counts words. */
export function ruleSetScopeConditions({
  direction,
  departmentIds = [],
  minDurationSeconds,
}: RuleSetScope = {}): SqlConditions {
  const departments = departmentIds.length > 0 ? departmentIds : undefined
  return toConditions(
    [`coalesce(r.direction, '') = ANY(?::text[])`, direction?.map((one) => one ?? '')],
    [`coalesce(r.duration_seconds, 'Infinity') >= ?::float8`, minDurationSeconds],
    [
      'r.manager_id = ANY(ARRAY(SELECT m.manager_id FROM department_managers m WHERE m.department_id = ANY(?::uuid[])))',
      departments,
    ],
  )
}
