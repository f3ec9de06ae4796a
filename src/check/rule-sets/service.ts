import { diffProperties, recordAuditChange, type AuditObject } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, forbiddenError, notFoundError } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import type { RuleSetScope } from '../rules/types.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { hashRules } from './hash.ts'
import { ruleSetMessages } from './messages.ts'
import { canEditRuleSet, visibleRuleSetConditions } from './policy.ts'
import {
  RULE_SET_ORDER_SQL,
  presentRuleSet,
  presentRuleSetSummary,
  RULE_SET_COLUMNS_SQL,
  type RuleSetRow,
} from './present.ts'
import type { RuleSetJson } from './schema.ts'
import { validateRules } from './violations.ts'

/**
 * Lists the rule sets that a person can see, in the order of use.
 * @param archived true lists only archived ones, false only the others
 */
export async function listRuleSets(
  { pool }: Core,
  me: ActingPerson,
  { archived, ...page }: PageRequest & { archived: boolean },
) {
  const p = new SqlParameters()
  const from = `rule_sets s WHERE s.archived_at IS ${archived ? 'NOT NULL' : 'NULL'} AND ${p.and(visibleRuleSetConditions(me))}`
  const list = { select: RULE_SET_COLUMNS_SQL, from, order: RULE_SET_ORDER_SQL, values: p.values }
  const result = await listPage<RuleSetRow>(pool, list, page)
  return { ...result, items: result.items.map((row) => presentRuleSetSummary(me, row)) }
}

/** Loads a rule set with its rules. @throws HttpError 404 if the person cannot see it */
export const loadRuleSet = async ({ pool }: Core, me: ActingPerson, id: string): Promise<RuleSetJson> =>
  presentRuleSet(me, await loadRuleSetRow(pool, me, id))

/**
 * Loads the row of a rule set.
 * @param lock locks the row until the transaction ends, which serializes changes
 * @throws HttpError 404 if the person cannot see it
 */
export async function loadRuleSetRow(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<RuleSetRow> {
  // A separate statement, because a snapshot from before the lock would miss the changes of the previous holder.
  if (lock) await sql.query({ text: 'SELECT FROM rule_sets WHERE id = $1 FOR UPDATE', values: [id] })
  const p = new SqlParameters()
  const conditions = p.and([...toConditions(['s.id = ?::uuid', id]), ...visibleRuleSetConditions(me)])
  const { rows } = await sql.query<RuleSetRow>({
    text: `SELECT ${RULE_SET_COLUMNS_SQL} FROM rule_sets s WHERE ${conditions}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(ruleSetMessages.noSet())
  return rows[0]
}

/**
 * Loads the row of a rule set that the person can edit.
 * @param lock locks the row until the transaction ends
 * @throws HttpError 403, 404
 */
export async function loadEditableRuleSet(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<RuleSetRow> {
  const set = await loadRuleSetRow(sql, me, id, lock)
  if (!canEditRuleSet(me, set.applies)) throw forbiddenError()
  return set
}

/**
 * Runs `change` in a transaction that locks the rule set.
 * @returns the rule set after the change
 * @throws HttpError 403, 404, 409 if it is archived
 */
export function changeLockedRuleSet(
  { db }: Core,
  actor: PersonActor,
  id: string,
  change: (sql: Sql, set: RuleSetRow) => Promise<void>,
): Promise<RuleSetJson> {
  return runInTransaction(db, async (sql) => {
    const set = await loadEditableRuleSet(sql, actor.person, id, true)
    if (set.archivedAt) throw conflictError(ruleSetMessages.archived())
    await change(sql, set)
    return presentRuleSet(actor.person, await loadRuleSetRow(sql, actor.person, id))
  })
}

interface NewRuleSet extends Partial<Pick<RuleSet, 'name' | 'mode' | 'applies'>> {
  key: string
  rules?: unknown[]
  copyOf?: string
}

/**
 * Creates a rule set with the given or copied rules as its draft.
 * @throws HttpError 400, 404 if the person cannot see the rule set to copy or its rules, 409 if the key is taken
 */
export async function createRuleSet({ db }: Core, actor: PersonActor, requested: NewRuleSet): Promise<RuleSetJson> {
  const me = actor.person
  const { key, copyOf } = requested
  try {
    return await runInTransaction(db, async (sql) => {
      const { name, mode, applies, rules } = {
        ...(await loadCopiedFields(sql, me, copyOf)),
        ...omitUndefined(requested),
      }
      const missing = Object.entries({ name, mode, rules }).filter(([, value]) => value === undefined)
      if (missing.length > 0)
        throw badRequestError(missing.map(([field]) => ruleSetMessages.requiredWithoutCopy().withField(field)))
      const set = { key, name: name!, mode: mode!, applies: await validateScope(sql, me, applies) }
      const validated = await validateRules(set, rules)
      const id = generateId()
      await insertRuleSet(sql, { ...set, id, origin: 'own' })
      await insertRuleSetVersion(sql, { ruleSetId: id, state: 'draft', rules: validated, author: me })
      const after = { key, mode, applies: set.applies, rules: validated.length, ...(copyOf && { copyOf }) }
      await recordAuditChange(sql, actor, {
        action: 'rules.create',
        object: toRuleSetAuditObject({ id, key }),
        details: { after },
      })
      return presentRuleSet(me, await loadRuleSetRow(sql, me, id))
    })
  } catch (error) {
    if (findViolatedUniqueIndex(error) === 'rule_sets_key') throw conflictError(ruleSetMessages.keyTaken())
    throw error
  }
}

/** Loads the fields of the set to copy, with its published rules, or else those of the draft if the person can see it. */
async function loadCopiedFields(sql: Sql, me: ActingPerson, id?: string): Promise<Partial<NewRuleSet>> {
  if (id === undefined) return {}
  const { name, mode, applies, published, draft } = await loadRuleSetRow(sql, me, id)
  const rules = published?.rules ?? (canEditRuleSet(me, applies) ? draft?.rules : undefined)
  if (!rules) throw notFoundError(ruleSetMessages.noSet())
  return { name, mode, applies, rules }
}

const omitUndefined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>

/**
 * Returns the scope with lower-case ids.
 * @throws HttpError 400 for unknown departments, or if a head names no department or one that they do not lead
 */
async function validateScope(sql: Sql, me: ActingPerson, applies: RuleSetScope = {}): Promise<RuleSetScope> {
  const { departmentIds: requested, ...rest } = applies
  const departmentIds = requested?.map((id) => id.toLowerCase()) ?? []
  if (me.role !== 'owner' && !canEditRuleSet(me, { departmentIds })) {
    throw badRequestError([ruleSetMessages.ownDepartments().withField('applies.departmentIds')])
  }
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT id FROM departments WHERE id = ANY($1::uuid[])',
    values: [departmentIds],
  })
  const unknownIds = departmentIds.filter((id) => !rows.some((row) => row.id === id))
  if (unknownIds.length > 0)
    throw badRequestError([
      ruleSetMessages.unknownDepartments({ ids: unknownIds.join(', ') }).withField('applies.departmentIds'),
    ])
  return requested ? { ...rest, departmentIds } : rest
}

/** Inserts a rule set at the last position. It has no version yet. */
export async function insertRuleSet(
  sql: Sql,
  { id, key, name, mode, applies, origin }: Pick<RuleSet, 'id' | 'key' | 'name' | 'mode' | 'applies' | 'origin'>,
): Promise<void> {
  await sql.query({
    text: `INSERT INTO rule_sets (id, key, name, mode, applies, origin, position)
           VALUES ($1, $2, $3, $4, $5, $6, (SELECT coalesce(max(position), 0) + 1 FROM rule_sets))`,
    values: [id, key, name, mode, applies, origin],
  })
}

interface NewVersion extends Pick<RuleSetVersion, 'ruleSetId' | 'state' | 'rules'> {
  note?: string | null
  author?: ActingPerson
}

/** Inserts a version of a rule set with the next number. */
export async function insertRuleSetVersion(
  sql: Sql,
  { ruleSetId, state, rules, note, author }: NewVersion,
): Promise<void> {
  await sql.query({
    text: `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash, note, author_id, author_name, published_at)
           SELECT $1::uuid, $2::uuid, coalesce(max(v.number), 0) + 1, $3::text, $4::jsonb, $5, $6, $7::uuid, $8,
                  CASE $3::text WHEN 'published' THEN now() END
             FROM rule_set_versions v WHERE v.rule_set_id = $2::uuid`,
    values: [generateId(), ruleSetId, state, JSON.stringify(rules), hashRules(rules), note, author?.id, author?.name],
  })
}

/** Changes the name, scope or position of a rule set. @throws HttpError 400, 403, 404, 409 if it is archived */
export function updateRuleSet(
  core: Core,
  actor: PersonActor,
  id: string,
  changes: Partial<Pick<RuleSet, 'name' | 'applies' | 'position'>>,
): Promise<RuleSetJson> {
  return changeLockedRuleSet(core, actor, id, async (sql, set) => {
    const validated = changes.applies && (await validateScope(sql, actor.person, changes.applies))
    const after = omitUndefined({ ...changes, applies: validated })
    const { name, applies, position } = { ...set, ...after }
    await sql.query({
      text: 'UPDATE rule_sets SET name = $2, applies = $3, position = $4 WHERE id = $1',
      values: [id, name, applies, position],
    })
    const details = diffProperties<object>({ name: set.name, applies: set.applies, position: set.position }, after)
    if (Object.keys(details.after).length > 0)
      await recordAuditChange(sql, actor, { action: 'rules.change', object: toRuleSetAuditObject(set), details })
  })
}

/** Archives a rule set, so that it judges no further calls. @throws HttpError 403, 404, 409 if it is archived already */
export async function archiveRuleSet(core: Core, actor: PersonActor, id: string): Promise<void> {
  await changeLockedRuleSet(core, actor, id, async (sql, set) => {
    await sql.query({ text: 'UPDATE rule_sets SET archived_at = now() WHERE id = $1', values: [id] })
    await recordAuditChange(sql, actor, { action: 'rules.archive', object: toRuleSetAuditObject(set) })
  })
}

/** Returns a rule set as the object of an audit entry, named by its key. */
export const toRuleSetAuditObject = ({ id, key }: Pick<RuleSet, 'id' | 'key'>): AuditObject => ({
  type: 'ruleSet',
  id,
  name: key,
})
