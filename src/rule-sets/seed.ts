import { LOCKS } from '../advisory-locks.ts'
import { SHIPPED } from '../analysis/rules/shipped.ts'
import type { RuleSetBody } from '../analysis/rules/types.ts'
import type { Core } from '../core.ts'
import { transaction, type Sql } from '../db.ts'
import { newId } from '../lib/ids.ts'
import { hashOfRules } from './hash.ts'
import { insertSet, insertVersion } from './service.ts'

interface Known {
  id: string
  origin: 'shipped' | 'own'
  isArchived: boolean
  shippedHash: string | null
  isPublished: boolean
  hasDraft: boolean
}

/**
 * Loads the shipped rules (ANALYSIS_SEED_RULES) for sets without a published version. Where a later release words them
 * otherwise, that arrives as a draft; where the owner has one, beside it as a version that can be restored.
 */
export async function seedRuleSets(
  { config, db, pool }: Core,
  shipped: readonly RuleSetBody[] = SHIPPED,
): Promise<void> {
  if (!config.ANALYSIS_SEED_RULES) return
  // Nearly every start finds them as they are: dozens that start at once need not wait for each other then.
  const missing = await Promise.all(shipped.map(async (set) => needsSeed(await find(pool, set.key), set)))
  if (!missing.includes(true)) return
  await transaction(db, async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCKS.seedRuleSets] })
    for (const set of shipped) await seedOne(sql, set)
  })
}

/** Not where it is the owner's own set of this key, one that they do not want, or as it is shipped. */
function needsSeed(known: Known | undefined, { rules }: RuleSetBody): boolean {
  if (!known) return true
  if (known.origin === 'own' || known.isArchived) return false
  return !known.isPublished || known.shippedHash !== hashOfRules(rules)
}

async function seedOne(sql: Sql, set: RuleSetBody): Promise<void> {
  const known = await find(sql, set.key)
  if (!needsSeed(known, set)) return
  const hash = hashOfRules(set.rules)
  const id = known?.id ?? newId()
  if (!known) await insertSet(sql, { ...set, id, applies: set.applies ?? {}, origin: 'shipped' })
  const state = !known?.isPublished ? 'published' : known.hasDraft ? 'retired' : 'draft'
  await insertVersion(sql, { ruleSetId: id, state, rules: set.rules, note: `${set.key}, ${SVC_VERSION}` })
  await sql.query({ text: 'UPDATE rule_sets SET shipped_hash = $2 WHERE id = $1', values: [id, hash] })
}

async function find(sql: Sql, key: string): Promise<Known | undefined> {
  const has = (state: string) =>
    `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = s.id AND v.state = '${state}')`
  const { rows } = await sql.query<Known>({
    text: `SELECT s.id, s.origin, s.archived_at IS NOT NULL AS "isArchived", s.shipped_hash AS "shippedHash",
                  ${has('published')} AS "isPublished", ${has('draft')} AS "hasDraft"
             FROM rule_sets s WHERE s.key = $1 ORDER BY s.archived_at NULLS FIRST, s.id LIMIT 1`,
    values: [key],
  })
  return rows[0]
}
