import type { Sql } from '../../platform/db/sql.ts'
import { ORDER_OF_SETS } from '../rule-sets/present.ts'
import type { Call } from './call.ts'
import { appliesTo } from '../rules/applies.ts'
import type { Rule, RuleSetBody } from '../rules/types.ts'

/** A rule set in use, with its published rules. */
export interface PublishedSet {
  id: string
  versionId: string
  version: number
  body: RuleSetBody
}

type Row = Omit<RuleSetBody, 'rules'> & { id: string; versionId: string; version: number }

/** Versions that are published never change: read once by each process. So few are in use that none is thrown away. */
const rulesOfVersions = new Map<string, Rule[]>()

/** The sets as they were read last: judging keeps what it makes of a set with its object. */
const setsOfVersions = new Map<string, PublishedSet>()

/** All sets in use, in the order in which they are asked. */
export async function publishedSets(sql: Sql): Promise<PublishedSet[]> {
  const { rows } = await sql.query<Row>({
    name: 'published-rule-sets',
    text: `SELECT s.id, s.key, s.name, s.mode, s.applies, v.id AS "versionId", v.number AS version
             FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL ORDER BY ${ORDER_OF_SETS}`,
  })
  const rules = await readRules(
    sql,
    rows.map(({ versionId }) => versionId),
  )
  return rows.map((row) => kept(row, rules.get(row.versionId)!))
}

function kept({ id, versionId, version, ...set }: Row, rules: Rule[]): PublishedSet {
  const known = setsOfVersions.get(versionId)
  const isSame = known && JSON.stringify({ ...known.body, rules: 0 }) === JSON.stringify({ ...set, rules: 0 })
  if (isSame) return known
  const read = { id, versionId, version, body: { ...set, rules } }
  setsOfVersions.set(versionId, read)
  return read
}

/** The rules of published or retired versions, by version. */
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

/** Which sets judge a call: the first score set that applies, and every label set. */
export function setsFor(sets: PublishedSet[], call: Call): { score: PublishedSet | undefined; labels: PublishedSet[] } {
  const fitting = sets.filter(({ body }) => appliesTo(body, call.dialogue, call.departmentId))
  return {
    score: fitting.find(({ body }) => body.mode === 'score'),
    labels: fitting.filter(({ body }) => body.mode === 'label'),
  }
}
