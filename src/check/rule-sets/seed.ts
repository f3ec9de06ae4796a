import type { Sql } from '../../platform/db/sql.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import { SHIPPED_RULE_SETS } from '../rules/shipped.ts'
import type { RuleSetBody } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { hashRules } from './hash.ts'
import { insertRuleSet, insertRuleSetVersion } from './service.ts'

interface StoredSet {
  id: string
  origin: 'shipped' | 'own'
  isArchived: boolean
  shippedHash: string | null
  isPublished: boolean
  hasDraft: boolean
  /** Whether any version has the rules of this release. */
  hasRules: boolean
}

/**
 * Stores the rule sets of this release at start, if ANALYSIS_SEED_RULES is on. Publishes a set that has no published version.
 * Changed rules become a draft, or a retired version if there is already a draft. Skips sets that a person created or archived.
 */
export async function seedRuleSets(
  { config, db, pool }: Core,
  shipped: readonly RuleSetBody[] = SHIPPED_RULE_SETS,
): Promise<void> {
  if (!config.ANALYSIS_SEED_RULES) return
  // Nearly every start finds no change. Checking first lets dozens of processes start without waiting for the lock.
  const missing = await Promise.all(shipped.map(async (set) => isSeedNeeded(await findStoredSet(pool, set), set)))
  if (!missing.includes(true)) return
  await runInTransaction(db, async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK_KEYS.seedRuleSets] })
    for (const set of shipped) await seedRuleSet(sql, set)
  })
}

/** Rules that a version already has are not stored again: otherwise two releases side by side would alternate. */
function isSeedNeeded(stored: StoredSet | undefined, { rules }: RuleSetBody): boolean {
  if (!stored) return true
  if (stored.origin === 'own' || stored.isArchived) return false
  return !stored.isPublished || (stored.shippedHash !== hashRules(rules) && !stored.hasRules)
}

async function seedRuleSet(sql: Sql, set: RuleSetBody): Promise<void> {
  const stored = await findStoredSet(sql, set)
  if (!isSeedNeeded(stored, set)) return
  const hash = hashRules(set.rules)
  const id = stored?.id ?? generateId()
  if (!stored) await insertRuleSet(sql, { ...set, id, applies: set.applies ?? {}, origin: 'shipped' })
  const state = !stored?.isPublished ? 'published' : stored.hasDraft ? 'retired' : 'draft'
  await insertRuleSetVersion(sql, { ruleSetId: id, state, rules: set.rules, note: `${set.key}, ${SVC_VERSION}` })
  await sql.query({ text: 'UPDATE rule_sets SET shipped_hash = $2 WHERE id = $1', values: [id, hash] })
}

async function findStoredSet(sql: Sql, { key, rules }: RuleSetBody): Promise<StoredSet | undefined> {
  const versionExistsSql = (condition: string) =>
    `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = s.id AND ${condition})`
  const { rows } = await sql.query<StoredSet>({
    text: `SELECT s.id, s.origin, s.archived_at IS NOT NULL AS "isArchived", s.shipped_hash AS "shippedHash",
                  ${versionExistsSql(`v.state = 'published'`)} AS "isPublished", ${versionExistsSql(`v.state = 'draft'`)} AS "hasDraft",
                  ${versionExistsSql('v.hash = $2')} AS "hasRules"
             FROM rule_sets s WHERE s.key = $1 ORDER BY s.archived_at NULLS FIRST, s.id LIMIT 1`,
    values: [key, hashRules(rules)],
  })
  return rows[0]
}
