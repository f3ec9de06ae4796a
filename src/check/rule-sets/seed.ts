import type { Sql } from '../../platform/db/sql.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { SHIPPED } from '../rules/shipped.ts'
import type { RuleSetBody } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { newId } from '../../platform/lib/ids.ts'
import { hashOfRules } from './hash.ts'
import { insertSet, insertVersion } from './service.ts'

interface Known {
  id: string
  origin: 'shipped' | 'own'
  isArchived: boolean
  shippedHash: string | null
  isPublished: boolean
  hasDraft: boolean
  /** Whether a version has the shipped rules. */
  hasRules: boolean
}

/** Loads shipped rules into sets without a published version; newer wording arrives as a draft or as a version. */
export async function seedRuleSets(
  { config, db, pool }: Core,
  shipped: readonly RuleSetBody[] = SHIPPED,
): Promise<void> {
  if (!config.ANALYSIS_SEED_RULES) return
  // Nearly every start finds no change, so dozens of simultaneous starts need not wait for each other.
  const missing = await Promise.all(shipped.map(async (set) => needsSeed(await find(pool, set), set)))
  if (!missing.includes(true)) return
  await transaction(db, async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCKS.seedRuleSets] })
    for (const set of shipped) await seedOne(sql, set)
  })
}

/** False also for rules that came before: otherwise two releases side by side would alternate. */
function needsSeed(known: Known | undefined, { rules }: RuleSetBody): boolean {
  if (!known) return true
  if (known.origin === 'own' || known.isArchived) return false
  return !known.isPublished || (known.shippedHash !== hashOfRules(rules) && !known.hasRules)
}

async function seedOne(sql: Sql, set: RuleSetBody): Promise<void> {
  const known = await find(sql, set)
  if (!needsSeed(known, set)) return
  const hash = hashOfRules(set.rules)
  const id = known?.id ?? newId()
  if (!known) await insertSet(sql, { ...set, id, applies: set.applies ?? {}, origin: 'shipped' })
  const state = !known?.isPublished ? 'published' : known.hasDraft ? 'retired' : 'draft'
  await insertVersion(sql, { ruleSetId: id, state, rules: set.rules, note: `${set.key}, ${SVC_VERSION}` })
  await sql.query({ text: 'UPDATE rule_sets SET shipped_hash = $2 WHERE id = $1', values: [id, hash] })
}

async function find(sql: Sql, { key, rules }: RuleSetBody): Promise<Known | undefined> {
  const has = (condition: string) =>
    `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = s.id AND ${condition})`
  const { rows } = await sql.query<Known>({
    text: `SELECT s.id, s.origin, s.archived_at IS NOT NULL AS "isArchived", s.shipped_hash AS "shippedHash",
                  ${has(`v.state = 'published'`)} AS "isPublished", ${has(`v.state = 'draft'`)} AS "hasDraft",
                  ${has('v.hash = $2')} AS "hasRules"
             FROM rule_sets s WHERE s.key = $1 ORDER BY s.archived_at NULLS FIRST, s.id LIMIT 1`,
    values: [key, hashOfRules(rules)],
  })
  return rows[0]
}
