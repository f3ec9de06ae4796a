import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { badRequest, conflict, notFound } from '../../platform/errors.ts'
import { transaction } from '../../platform/db/db.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { hashOfRules } from './hash.ts'
import { mayEdit } from './policy.ts'
import { presentVersion, presentVersionSummary, type SetRow } from './present.ts'
import type { RuleSetJson, VersionJson } from './schema.ts'
import { asObject, changing, findEditableSet, findSet, insertVersion } from './service.ts'
import { checkedRules } from './violations.ts'
import { unconfirmedZeros } from './zeros.ts'
import { ruleSetMessages } from './messages.ts'

const VERSION_COLUMNS = `
  id, rule_set_id AS "ruleSetId", number, state, rules, hash, revision, note, author_id AS "authorId",
  author_name AS "authorName", publisher_id AS "publisherId", publisher_name AS "publisherName", created_at AS "createdAt",
  changed_at AS "changedAt", published_at AS "publishedAt", retired_at AS "retiredAt"`

/** Only those who may edit a set see its draft. */
const seenStates = (me: ActingPerson, { applies }: SetRow) => (mayEdit(me, applies) ? 'true' : `state <> 'draft'`)

/** A page of the versions of a set that a person sees, the newest first. @throws HttpError 404 */
export async function listVersions(
  { pool }: Core,
  me: ActingPerson,
  id: string,
  { page, pageSize }: { page: number; pageSize: number },
) {
  const where = `rule_set_id = $1 AND ${seenStates(me, await findSet(pool, me, id))}`
  const [{ rows }, { rows: counts }] = await Promise.all([
    pool.query<RuleSetVersion>({
      text: `SELECT ${VERSION_COLUMNS} FROM rule_set_versions WHERE ${where}
              ORDER BY number DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      values: [id],
    }),
    pool.query<{ total: number }>({
      text: `SELECT count(*)::int AS total FROM rule_set_versions WHERE ${where}`,
      values: [id],
    }),
  ])
  return { items: rows.map(presentVersionSummary), total: counts[0]!.total, page, pageSize }
}

/** One version of a set that a person sees. @throws HttpError 404 */
export async function readVersion({ pool }: Core, me: ActingPerson, id: string, version: string): Promise<VersionJson> {
  return presentVersion(await findVersion(pool, await findSet(pool, me, id), me, version))
}

async function findVersion(sql: Sql, set: SetRow, me: ActingPerson, version: string): Promise<RuleSetVersion> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw notFound(ruleSetMessages.noVersion())
  const { rows } = await sql.query<RuleSetVersion>({
    text: `SELECT ${VERSION_COLUMNS} FROM rule_set_versions WHERE rule_set_id = $1 AND number = $2 AND ${seenStates(me, set)}`,
    values: [set.id, Number(version)],
  })
  if (!rows[0]) throw notFound(ruleSetMessages.noVersion())
  return rows[0]
}

/** A draft as it is written. What of it the set itself holds may stand in it unchanged. */
interface GivenDraft extends Partial<Pick<RuleSet, 'key' | 'name' | 'mode' | 'applies'>> {
  revision?: number
  rules: unknown[]
  note?: string | null
}

/** Writes the draft, or begins one. @throws HttpError 400, 403, 404, 409 for a stale revision */
export function saveDraft(core: Core, actor: PersonActor, id: string, given: GivenDraft): Promise<RuleSetJson> {
  return changing(core, actor, id, async (sql, set) => {
    refuseOtherThanSet(set, given)
    refuseStale(set, given.revision ?? 0)
    const rules = await checkedRules(set, given.rules)
    const { note = set.draft?.note ?? null } = given
    const author = actor.person
    if (!set.draft) await insertVersion(sql, { ruleSetId: id, state: 'draft', rules, note, author })
    else {
      await sql.query({
        text: `UPDATE rule_set_versions SET rules = $2, hash = $3, note = $4, author_id = $5, author_name = $6,
                      revision = revision + 1, changed_at = now()
                WHERE rule_set_id = $1 AND state = 'draft'`,
        values: [id, JSON.stringify(rules), hashOfRules(rules), note, author.id, author.name],
      })
    }
    const details = { after: { revision: (set.draft?.revision ?? 0) + 1, rules: rules.length } }
    await recordChange(sql, actor, { action: 'rules.draft', object: asObject(set), details })
  })
}

/** Whoever sends another name than the set has would else believe that it is changed. @throws HttpError 400 */
function refuseOtherThanSet(set: SetRow, given: GivenDraft): void {
  const others = (['key', 'name', 'mode', 'applies'] as const).filter(
    (field) => given[field] !== undefined && hashOfRules(given[field] as never) !== hashOfRules(set[field] as never),
  )
  if (others.length > 0) {
    throw badRequest(
      others.map((field) => {
        const isOfSet = field === 'name' || field === 'applies'
        return (isOfSet ? ruleSetMessages.asSetPatch() : ruleSetMessages.asSet()).about(field)
      }),
    )
  }
}

/** @throws HttpError 409 */
function refuseStale({ draft }: SetRow, revision: number): void {
  if ((draft?.revision ?? 0) !== revision) throw conflict(ruleSetMessages.changedMeanwhile())
}

/** Throws the draft away. @throws HttpError 403, 404, 409 */
export async function deleteDraft({ db }: Core, actor: PersonActor, id: string, revision: number): Promise<void> {
  await transaction(db, async (sql) => {
    const set = await findEditableSet(sql, actor.person, id)
    refuseStale(set, revision)
    if (!set.draft) throw notFound(ruleSetMessages.noDraft())
    await sql.query({ text: `DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, values: [id] })
    await recordChange(sql, actor, {
      action: 'rules.draft-delete',
      object: asObject(set),
      details: { before: { revision } },
    })
  })
}

/** What is said with the publishing of a draft. */
interface Publication {
  revision: number
  note?: string | null
  confirmNewZeros?: string[]
}

/** Makes the draft the published version: of two who publish at once one wins, the other learns. @throws HttpError 403, 404, 409 */
export function publishDraft(core: Core, actor: PersonActor, id: string, given: Publication): Promise<RuleSetJson> {
  return changing(core, actor, id, async (sql, set) => {
    refuseStale(set, given.revision)
    if (!set.draft) throw conflict(ruleSetMessages.changedMeanwhile())
    const unconfirmed = await unconfirmedZeros(sql, id, given.confirmNewZeros ?? [])
    if (unconfirmed.length > 0) {
      throw conflict(ruleSetMessages.newZeros({ rules: unconfirmed.join(', ') }))
    }
    await retirePublished(sql, id)
    await sql.query({
      text: `UPDATE rule_set_versions SET state = 'published', published_at = now(), note = coalesce($2, note),
                    publisher_id = $3, publisher_name = $4
              WHERE rule_set_id = $1 AND state = 'draft'`,
      values: [id, given.note ?? null, actor.person.id, actor.person.name],
    })
    const details = {
      before: { version: set.published?.number ?? null },
      after: { version: set.draft.number, note: given.note },
    }
    await recordChange(sql, actor, { action: 'rules.publish', object: asObject(set), details })
  })
}

const retirePublished = (sql: Sql, id: string) =>
  sql.query({
    text: `UPDATE rule_set_versions SET state = 'retired', retired_at = now() WHERE rule_set_id = $1 AND state = 'published'`,
    values: [id],
  })

/** Begins a draft with the rules of a version. @throws HttpError 403, 404, 409 where there is a draft */
export function restoreVersion(core: Core, actor: PersonActor, id: string, version: string): Promise<RuleSetJson> {
  return changing(core, actor, id, async (sql, set) => {
    const { rules, number, state } = await findVersion(sql, set, actor.person, version)
    if (set.draft) throw conflict(ruleSetMessages.draftThere())
    if (state === 'draft') throw notFound(ruleSetMessages.noVersion())
    await insertVersion(sql, { ruleSetId: id, state: 'draft', rules, note: `= ${number}`, author: actor.person })
    await recordChange(sql, actor, {
      action: 'rules.restore',
      object: asObject(set),
      details: { after: { version: number } },
    })
  })
}
