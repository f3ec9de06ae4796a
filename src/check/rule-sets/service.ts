import { difference, recordChange, type AuditObject } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { brokenUniqueIndex, transaction } from '../../platform/db/db.ts'
import { selectPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequest, conflict, forbidden, notFound } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { newId } from '../../platform/lib/ids.ts'
import { Parameters, where } from '../../platform/lib/where.ts'
import type { Applies } from '../rules/types.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { hashOfRules } from './hash.ts'
import { ruleSetMessages } from './messages.ts'
import { mayEdit, setsSeenBy } from './policy.ts'
import { ORDER_OF_SETS, presentSet, presentSummary, SET_COLUMNS, type SetRow } from './present.ts'
import type { RuleSetJson } from './schema.ts'
import { checkedRules } from './violations.ts'

export async function listSets(
  { pool }: Core,
  me: ActingPerson,
  { archived, ...page }: PageRequest & { archived: boolean },
) {
  const p = new Parameters()
  const from = `rule_sets s WHERE s.archived_at IS ${archived ? 'NOT NULL' : 'NULL'} AND ${p.and(setsSeenBy(me))}`
  const list = { select: SET_COLUMNS, from, order: ORDER_OF_SETS, values: p.values }
  const found = await selectPage<SetRow>(pool, list, page)
  return { ...found, items: found.items.map((row) => presentSummary(me, row)) }
}

/** One set visible to the person. @throws HttpError 404 */
export const readSet = async ({ pool }: Core, me: ActingPerson, id: string): Promise<RuleSetJson> =>
  presentSet(me, await findSet(pool, me, id))

/** The row of a set visible to the person; `lock` serialises changes. @throws HttpError 404 */
export async function findSet(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<SetRow> {
  // A separate statement: a snapshot from before the lock would miss the changes of its last holder.
  if (lock) await sql.query({ text: 'SELECT FROM rule_sets WHERE id = $1 FOR UPDATE', values: [id] })
  const p = new Parameters()
  const conditions = p.and([...where(['s.id = ?::uuid', id]), ...setsSeenBy(me)])
  const { rows } = await sql.query<SetRow>({
    text: `SELECT ${SET_COLUMNS} FROM rule_sets s WHERE ${conditions}`,
    values: p.values,
  })
  if (!rows[0]) throw notFound(ruleSetMessages.noSet())
  return rows[0]
}

/** The same, of a set that the person can change. @throws HttpError 403, 404 */
export async function findEditableSet(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<SetRow> {
  const set = await findSet(sql, me, id, lock)
  if (!mayEdit(me, set.applies)) throw forbidden()
  return set
}

/** Changes a set that the person can change, one change at a time. @throws HttpError 403, 404, 409 if it is archived */
export function changeLocked(
  { db }: Core,
  actor: PersonActor,
  id: string,
  change: (sql: Sql, set: SetRow) => Promise<void>,
): Promise<RuleSetJson> {
  return transaction(db, async (sql) => {
    const set = await findEditableSet(sql, actor.person, id, true)
    if (set.archivedAt) throw conflict(ruleSetMessages.archived())
    await change(sql, set)
    return presentSet(actor.person, await findSet(sql, actor.person, id))
  })
}

interface NewSet extends Partial<Pick<RuleSet, 'name' | 'mode' | 'applies'>> {
  key: string
  rules?: unknown[]
  copyOf?: string
}

/** Creates a set with its rules as a draft. @throws HttpError 400, 404 for a set to copy, 409 for a taken key */
export async function createSet({ db }: Core, actor: PersonActor, given: NewSet): Promise<RuleSetJson> {
  const me = actor.person
  const { key, copyOf } = given
  try {
    return await transaction(db, async (sql) => {
      const { name, mode, applies, rules } = { ...(await copiedSet(sql, me, copyOf)), ...withoutUndefined(given) }
      const missing = Object.entries({ name, mode, rules }).filter(([, value]) => value === undefined)
      if (missing.length > 0)
        throw badRequest(missing.map(([field]) => ruleSetMessages.requiredWithoutCopy().about(field)))
      const set = { key, name: name!, mode: mode!, applies: await checkedApplies(sql, me, applies) }
      const checked = await checkedRules(set, rules)
      const id = newId()
      await insertSet(sql, { ...set, id, origin: 'own' })
      await insertVersion(sql, { ruleSetId: id, state: 'draft', rules: checked, author: me })
      const after = { key, mode, applies: set.applies, rules: checked.length, ...(copyOf && { copyOf }) }
      await recordChange(sql, actor, { action: 'rules.create', object: asObject({ id, key }), details: { after } })
      return presentSet(me, await findSet(sql, me, id))
    })
  } catch (error) {
    if (brokenUniqueIndex(error) === 'rule_sets_key') throw conflict(ruleSetMessages.keyTaken())
    throw error
  }
}

/** The fields of a copied set: its published rules, or else the draft if the person can see it. */
async function copiedSet(sql: Sql, me: ActingPerson, id?: string): Promise<Partial<NewSet>> {
  if (id === undefined) return {}
  const { name, mode, applies, published, draft } = await findSet(sql, me, id)
  const rules = published?.rules ?? (mayEdit(me, applies) ? draft?.rules : undefined)
  if (!rules) throw notFound(ruleSetMessages.noSet())
  return { name, mode, applies, rules }
}

const withoutUndefined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>

/** The calls that a set applies to. @throws HttpError 400 for departments that do not exist, or are not the head's */
async function checkedApplies(sql: Sql, me: ActingPerson, applies: Applies = {}): Promise<Applies> {
  const { departmentIds: given, ...rest } = applies
  const departmentIds = given?.map((id) => id.toLowerCase()) ?? []
  if (me.role !== 'owner' && !mayEdit(me, { departmentIds })) {
    throw badRequest([ruleSetMessages.ownDepartments().about('applies.departmentIds')])
  }
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT id FROM departments WHERE id = ANY($1::uuid[])',
    values: [departmentIds],
  })
  const unknown = departmentIds.filter((id) => !rows.some((row) => row.id === id))
  if (unknown.length > 0)
    throw badRequest([ruleSetMessages.unknownDepartments({ ids: unknown.join(', ') }).about('applies.departmentIds')])
  return given ? { ...rest, departmentIds } : rest
}

/** Inserts a set without a version, after all others. */
export async function insertSet(
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

export async function insertVersion(sql: Sql, { ruleSetId, state, rules, note, author }: NewVersion): Promise<void> {
  await sql.query({
    text: `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash, note, author_id, author_name, published_at)
           SELECT $1::uuid, $2::uuid, coalesce(max(v.number), 0) + 1, $3::text, $4::jsonb, $5, $6, $7::uuid, $8,
                  CASE $3::text WHEN 'published' THEN now() END
             FROM rule_set_versions v WHERE v.rule_set_id = $2::uuid`,
    values: [newId(), ruleSetId, state, JSON.stringify(rules), hashOfRules(rules), note, author?.id, author?.name],
  })
}

/** Changes the fields of a set besides its versions. @throws HttpError 400, 403, 404 */
export function changeSet(
  core: Core,
  actor: PersonActor,
  id: string,
  changes: Partial<Pick<RuleSet, 'name' | 'applies' | 'position'>>,
): Promise<RuleSetJson> {
  return changeLocked(core, actor, id, async (sql, set) => {
    const checked = changes.applies && (await checkedApplies(sql, actor.person, changes.applies))
    const after = withoutUndefined({ ...changes, applies: checked })
    const { name, applies, position } = { ...set, ...after }
    await sql.query({
      text: 'UPDATE rule_sets SET name = $2, applies = $3, position = $4 WHERE id = $1',
      values: [id, name, applies, position],
    })
    const details = difference<object>({ name: set.name, applies: set.applies, position: set.position }, after)
    if (Object.keys(details.after).length > 0)
      await recordChange(sql, actor, { action: 'rules.change', object: asObject(set), details })
  })
}

/** Archives a set: it judges no further calls. @throws HttpError 403, 404, 409 */
export async function archiveSet(core: Core, actor: PersonActor, id: string): Promise<void> {
  await changeLocked(core, actor, id, async (sql, set) => {
    await sql.query({ text: 'UPDATE rule_sets SET archived_at = now() WHERE id = $1', values: [id] })
    await recordChange(sql, actor, { action: 'rules.archive', object: asObject(set) })
  })
}

export const asObject = ({ id, key }: Pick<RuleSet, 'id' | 'key'>): AuditObject => ({ type: 'ruleSet', id, name: key })
