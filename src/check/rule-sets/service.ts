import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { difference, recordChange, type AuditObject } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { brokenUniqueIndex, transaction } from '../../platform/db/db.ts'
import { badRequest, conflict, forbidden, notFound } from '../../platform/errors.ts'
import type { Applies, Rule } from '../rules/types.ts'
import { newId } from '../../platform/lib/ids.ts'
import type { RuleSet } from './entity.ts'
import { hashOfRules } from './hash.ts'
import { mayEdit, setsSeenBy } from './policy.ts'
import { ORDER_OF_SETS, presentSet, presentSummary, SELECT_SET, type SetRow } from './present.ts'
import type { RuleSetJson, RuleSetSummaryJson } from './schema.ts'
import { checkedRules } from './violations.ts'
import { ruleSetMessages } from './messages.ts'

/** A page of the sets that a person sees. */
export async function listSets(
  { pool }: Core,
  me: ActingPerson,
  { page, pageSize, archived }: { page: number; pageSize: number; archived: boolean },
) {
  const { condition, values } = setsSeenBy(me, '$1')
  const where = `s.archived_at IS ${archived ? 'NOT NULL' : 'NULL'} AND ${condition}`
  const [{ rows }, { rows: counts }] = await Promise.all([
    pool.query<SetRow>({
      text: `${SELECT_SET} WHERE ${where} ORDER BY ${ORDER_OF_SETS} LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      values,
    }),
    pool.query<{ total: number }>({ text: `SELECT count(*)::int AS total FROM rule_sets s WHERE ${where}`, values }),
  ])
  const items: RuleSetSummaryJson[] = rows.map((row) => presentSummary(me, row))
  return { items, total: counts[0]!.total, page, pageSize }
}

/** One set that a person sees. @throws HttpError 404 */
export const readSet = async ({ pool }: Core, me: ActingPerson, id: string): Promise<RuleSetJson> =>
  presentSet(me, await findSet(pool, me, id))

/** The row of a set that a person sees; `lock` lets one change at a time have it. @throws HttpError 404 */
export async function findSet(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<SetRow> {
  const { condition, values } = setsSeenBy(me, '$2')
  // A statement of its own: a snapshot taken before the lock would not see what its last holder has changed.
  if (lock) await sql.query({ text: 'SELECT FROM rule_sets WHERE id = $1 FOR UPDATE', values: [id] })
  const { rows } = await sql.query<SetRow>({
    text: `${SELECT_SET} WHERE s.id = $1 AND ${condition}`,
    values: [id, ...values],
  })
  if (!rows[0]) throw notFound(ruleSetMessages.noSet())
  return rows[0]
}

/** The same, locked, of a set that the person may change. @throws HttpError 403, 404, 409 for one that is archived */
export async function findEditableSet(sql: Sql, me: ActingPerson, id: string): Promise<SetRow> {
  const set = await findSet(sql, me, id, true)
  if (!mayEdit(me, set.applies)) throw forbidden()
  if (set.archivedAt) throw conflict(ruleSetMessages.archived())
  return set
}

/** Runs a change of a set that the person may change, one at a time; returns the set as it is then. @throws as findEditableSet */
export function changing(
  { db }: Core,
  actor: PersonActor,
  id: string,
  change: (sql: Sql, set: SetRow) => Promise<void>,
): Promise<RuleSetJson> {
  return transaction(db, async (sql) => {
    await change(sql, await findEditableSet(sql, actor.person, id))
    return presentSet(actor.person, await findSet(sql, actor.person, id))
  })
}

export interface NewSet {
  key: string
  name?: RuleSet['name']
  mode?: RuleSet['mode']
  applies?: Applies
  rules?: unknown[]
  copyOf?: string
}

/** Makes a set with its rules as a draft. @throws HttpError 400, 404 for a set to copy, 409 for a key that is taken */
export async function createSet({ db }: Core, actor: PersonActor, given: NewSet): Promise<RuleSetJson> {
  const me = actor.person
  try {
    return await transaction(db, async (sql) => {
      const { name, mode, applies, rules } = { ...(await copied(sql, me, given.copyOf)), ...withoutUndefined(given) }
      const missing = Object.entries({ name, mode, rules }).filter(([, value]) => value === undefined)
      if (missing.length > 0)
        throw badRequest(missing.map(([field]) => ruleSetMessages.requiredWithoutCopy().about(field)))
      const set = { key: given.key, name: name!, mode: mode!, applies: await checkedApplies(sql, me, applies) }
      const checked = await checkedRules(set, rules)
      const id = newId()
      await insertSet(sql, { ...set, id, origin: 'own' })
      await insertVersion(sql, { ruleSetId: id, state: 'draft', rules: checked, author: me })
      const after = {
        key: given.key,
        mode,
        applies: set.applies,
        rules: checked.length,
        ...(given.copyOf && { copyOf: given.copyOf }),
      }
      await recordChange(sql, actor, {
        action: 'rules.create',
        object: asObject({ id, key: given.key }),
        details: { after },
      })
      return presentSet(me, await findSet(sql, me, id))
    })
  } catch (error) {
    if (brokenUniqueIndex(error) === 'rule_sets_key') throw conflict(ruleSetMessages.keyTaken())
    throw error
  }
}

/** What a copy takes from its pattern: the published rules, or the draft where there are none and one may see it. */
async function copied(sql: Sql, me: ActingPerson, id?: string): Promise<Partial<NewSet>> {
  if (id === undefined) return {}
  const { name, mode, applies, published, draft } = await findSet(sql, me, id)
  const rules = published?.rules ?? (mayEdit(me, applies) ? draft?.rules : undefined)
  if (!rules) throw notFound(ruleSetMessages.noSet())
  return { name, mode, applies, rules }
}

const withoutUndefined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>

/** To which calls a set is to apply. @throws HttpError 400 for departments that are none, or none of the head's */
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

/** Writes a set without a version. Its position is behind all others. */
export async function insertSet(
  sql: Sql,
  { id, key, name, mode, applies, origin }: Pick<RuleSet, 'id' | 'key' | 'name' | 'mode' | 'applies' | 'origin'>,
): Promise<void> {
  await sql.query({
    text: `INSERT INTO rule_sets (id, key, name, mode, applies, origin, position)
           VALUES ($1, $2, $3, $4, $5, $6, (SELECT coalesce(max(position), 0) + 1 FROM rule_sets))`,
    values: [id, key, JSON.stringify(name), mode, JSON.stringify(applies), origin],
  })
}

interface NewVersion {
  ruleSetId: string
  state: 'draft' | 'published' | 'retired'
  rules: Rule[]
  note?: string | null
  author?: ActingPerson
}

/** Writes a version under the next number. */
export async function insertVersion(sql: Sql, { ruleSetId, state, rules, note, author }: NewVersion): Promise<void> {
  await sql.query({
    text: `INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash, note, author_id, author_name, published_at)
           SELECT $1::uuid, $2::uuid, coalesce(max(v.number), 0) + 1, $3::text, $4::jsonb, $5::text, $6::text, $7::uuid, $8::text, CASE $3::text WHEN 'published' THEN now() END
             FROM rule_set_versions v WHERE v.rule_set_id = $2::uuid`,
    values: [
      newId(),
      ruleSetId,
      state,
      JSON.stringify(rules),
      hashOfRules(rules),
      note ?? null,
      author?.id,
      author?.name,
    ],
  })
}

/** What of a set changes without a version. @throws HttpError 400, 403, 404 */
export function changeSet(
  core: Core,
  actor: PersonActor,
  id: string,
  changes: { name?: RuleSet['name']; applies?: Applies; position?: number },
): Promise<RuleSetJson> {
  return changing(core, actor, id, async (sql, set) => {
    const checked = changes.applies && (await checkedApplies(sql, actor.person, changes.applies))
    const after = withoutUndefined({ ...changes, applies: checked })
    const { name, applies, position } = { ...set, ...after }
    await sql.query({
      text: 'UPDATE rule_sets SET name = $2, applies = $3, position = $4 WHERE id = $1',
      values: [id, JSON.stringify(name), JSON.stringify(applies), position],
    })
    const details = difference<object>({ name: set.name, applies: set.applies, position: set.position }, after)
    if (Object.keys(details.after).length > 0) {
      await recordChange(sql, actor, { action: 'rules.change', object: asObject(set), details })
    }
  })
}

/** Puts a set away: it judges no further calls. @throws HttpError 403, 404, 409 */
export async function archiveSet({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  await transaction(db, async (sql) => {
    const set = await findEditableSet(sql, actor.person, id)
    await sql.query({ text: 'UPDATE rule_sets SET archived_at = now() WHERE id = $1', values: [id] })
    await recordChange(sql, actor, { action: 'rules.archive', object: asObject(set) })
  })
}

/** A set as the audit log names it. */
export const asObject = ({ id, key }: Pick<RuleSet, 'id' | 'key'>): AuditObject => ({ type: 'ruleSet', id, name: key })
