import type { Sql } from '../../platform/db/sql.ts'
import { where, type Where } from '../../platform/lib/where.ts'
import { ORDER_OF_SETS } from '../rule-sets/present.ts'
import type { Applies, Dialogue, Rule, RuleSetBody } from '../rules/types.ts'
import { wordsOf } from '../rules/words.ts'

/** A rule set in use, with its published rules. */
export interface PublishedSet {
  id: string
  versionId: string
  version: number
  body: RuleSetBody
}

type Row = Omit<RuleSetBody, 'rules'> & Omit<PublishedSet, 'body'>

/** Rules by version. Published versions never change; they are few, and judging caches what it compiles with these objects. */
const rulesOfVersions = new Map<string, Rule[]>()

/** All sets in use, in the order of their use. */
export async function publishedSets(sql: Sql): Promise<PublishedSet[]> {
  const { rows } = await sql.query<Row>({
    text: `SELECT s.id, s.key, s.name, s.mode, s.applies, v.id AS "versionId", v.number AS version
             FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL ORDER BY ${ORDER_OF_SETS}`,
  })
  const versionIds = rows.map(({ versionId }) => versionId)
  const rules = await readRules(sql, versionIds)
  return rows.map(({ id, versionId, version, ...set }) => ({
    id,
    versionId,
    version,
    body: { ...set, rules: rules.get(versionId)! },
  }))
}

export async function readRules(sql: Sql, versionIds: string[]): Promise<ReadonlyMap<string, Rule[]>> {
  const missing = versionIds.filter((id) => !rulesOfVersions.has(id))
  if (missing.length > 0) {
    const { rows } = await sql.query<{ id: string; rules: Rule[] }>({
      text: `SELECT id, rules FROM rule_set_versions WHERE id = ANY($1::uuid[]) AND state <> 'draft'`,
      values: [missing],
    })
    for (const { id, rules } of rows) rulesOfVersions.set(id, rules)
  }
  return rulesOfVersions
}

interface Candidate {
  dialogue: Dialogue
  departmentId: string | null
}

/** The sets that judge a call: the first score set that applies, and every label set. */
export function setsFor(sets: PublishedSet[], call: Candidate) {
  const fitting = sets.filter(({ body }) => appliesTo(body, call))
  return {
    score: fitting.find(({ body }) => body.mode === 'score'),
    labels: fitting.filter(({ body }) => body.mode === 'label'),
  }
}

/** Whether a rule set applies to a call: its direction, its department, and the amount of text. */
export function appliesTo({ applies = {} }: RuleSetBody, { dialogue, departmentId }: Candidate): boolean {
  const { direction, departmentIds = [], minDurationSeconds = 0, minWords = 0 } = applies
  if (direction && !direction.includes(dialogue.direction)) return false
  if (departmentIds.length > 0 && !(departmentId && departmentIds.includes(departmentId))) return false
  return dialogue.durationSeconds >= minDurationSeconds && hasWords(dialogue, minWords)
}

function hasWords({ segments }: Dialogue, needed: number): boolean {
  let left = needed
  for (const { text } of segments) {
    const words = wordsOf(text)
    while (left > 0 && !words.next().done) left--
    if (left <= 0) return true
  }
  return left <= 0
}

/** The same as conditions on recordings r, except for the number of words, which the database does not know. */
export function whereApplies({ direction, departmentIds = [], minDurationSeconds }: Applies = {}): Where {
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
