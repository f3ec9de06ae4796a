import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { selectPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequest, conflict, notFound } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { hashOfRules } from './hash.ts'
import { ruleSetMessages } from './messages.ts'
import { mayEdit } from './policy.ts'
import { presentVersion, presentVersionSummary, type SetRow } from './present.ts'
import type { RuleSetJson, VersionJson } from './schema.ts'
import { asObject, changeLocked, findSet, insertVersion } from './service.ts'
import { checkedRules } from './violations.ts'

const VERSION_COLUMNS = `
  id, rule_set_id AS "ruleSetId", number, state, rules, hash, revision, note, author_id AS "authorId",
  author_name AS "authorName", publisher_id AS "publisherId", publisher_name AS "publisherName", created_at AS "createdAt",
  changed_at AS "changedAt", published_at AS "publishedAt", retired_at AS "retiredAt"`

/** The versions of set $1 that a person sees: drafts only of sets that they can edit. */
const versionsSeenBy = (me: ActingPerson, { applies }: SetRow): string =>
  `rule_set_versions WHERE rule_set_id = $1${mayEdit(me, applies) ? '' : ` AND state <> 'draft'`}`

/** A page of the visible versions of a set, newest first. @throws HttpError 404 */
export async function listVersions({ pool }: Core, me: ActingPerson, id: string, page: PageRequest) {
  const from = versionsSeenBy(me, await findSet(pool, me, id))
  const list = { select: VERSION_COLUMNS, from, order: 'number DESC', values: [id] }
  const found = await selectPage<RuleSetVersion>(pool, list, page)
  return { ...found, items: found.items.map(presentVersionSummary) }
}

/** One visible version of a set. @throws HttpError 404 */
export async function readVersion({ pool }: Core, me: ActingPerson, id: string, version: string): Promise<VersionJson> {
  return presentVersion(await findVersion(pool, await findSet(pool, me, id), me, version))
}

async function findVersion(sql: Sql, set: SetRow, me: ActingPerson, version: string): Promise<RuleSetVersion> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw notFound(ruleSetMessages.noVersion())
  const { rows } = await sql.query<RuleSetVersion>({
    text: `SELECT ${VERSION_COLUMNS} FROM ${versionsSeenBy(me, set)} AND number = $2`,
    values: [set.id, Number(version)],
  })
  if (!rows[0]) throw notFound(ruleSetMessages.noVersion())
  return rows[0]
}

/** A draft in a request. It can repeat what the set itself stores. */
interface GivenDraft extends Partial<Pick<RuleSet, 'key' | 'name' | 'mode' | 'applies'>> {
  revision?: number
  rules: unknown[]
  note?: string | null
}

/** Saves the draft, or creates one. @throws HttpError 400, 403, 404, 409 for a stale revision */
export function saveDraft(core: Core, actor: PersonActor, id: string, given: GivenDraft): Promise<RuleSetJson> {
  return changeLocked(core, actor, id, async (sql, set) => {
    refuseOtherThanSet(set, given)
    refuseStale(set, given.revision ?? 0)
    const rules = await checkedRules(set, given.rules)
    const { note = set.draft?.note ?? null } = given
    const author = actor.person
    if (!set.draft) await insertVersion(sql, { ruleSetId: id, state: 'draft', rules, note, author })
    else
      await sql.query({
        text: `UPDATE rule_set_versions SET rules = $2, hash = $3, note = $4, author_id = $5, author_name = $6,
                      revision = revision + 1, changed_at = now()
                WHERE rule_set_id = $1 AND state = 'draft'`,
        values: [id, JSON.stringify(rules), hashOfRules(rules), note, author.id, author.name],
      })
    const details = { after: { revision: (set.draft?.revision ?? 0) + 1, rules: rules.length } }
    await recordChange(sql, actor, { action: 'rules.draft', object: asObject(set), details })
  })
}

/** A client that sends another name than the set has would expect a change. @throws HttpError 400 */
function refuseOtherThanSet(set: SetRow, given: GivenDraft): void {
  const others = (['key', 'name', 'mode', 'applies'] as const).filter(
    (field) => given[field] !== undefined && hashOfRules(given[field]) !== hashOfRules(set[field]),
  )
  const messageOf = (field: (typeof others)[number]) =>
    field === 'name' || field === 'applies' ? ruleSetMessages.asSetPatch() : ruleSetMessages.asSet()
  if (others.length > 0) throw badRequest(others.map((field) => messageOf(field).about(field)))
}

/** @throws HttpError 409 */
function refuseStale({ draft }: SetRow, revision: number): void {
  if ((draft?.revision ?? 0) !== revision) throw conflict(ruleSetMessages.changedMeanwhile())
}

/** Deletes the draft. @throws HttpError 403, 404, 409 */
export async function deleteDraft(core: Core, actor: PersonActor, id: string, revision: number): Promise<void> {
  await changeLocked(core, actor, id, async (sql, set) => {
    refuseStale(set, revision)
    if (!set.draft) throw notFound(ruleSetMessages.noDraft())
    await sql.query({ text: `DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, values: [id] })
    const details = { before: { revision } }
    await recordChange(sql, actor, { action: 'rules.draft-delete', object: asObject(set), details })
  })
}

interface Publication {
  revision: number
  note?: string | null
  confirmNewZeros?: string[]
}

/** Makes the draft the published version. If two publish at once, the second gets a 409. @throws HttpError 403, 404, 409 */
export function publishDraft(core: Core, actor: PersonActor, id: string, given: Publication): Promise<RuleSetJson> {
  return changeLocked(core, actor, id, async (sql, set) => {
    refuseStale(set, given.revision)
    if (!set.draft) throw conflict(ruleSetMessages.changedMeanwhile())
    const unconfirmed = await unconfirmedZeros(sql, id, given.confirmNewZeros ?? [])
    if (unconfirmed.length > 0) throw conflict(ruleSetMessages.newZeros({ rules: unconfirmed.join(', ') }))
    await sql.query({
      text: `UPDATE rule_set_versions SET state = 'retired', retired_at = now()
              WHERE rule_set_id = $1 AND state = 'published'`,
      values: [id],
    })
    await sql.query({
      text: `UPDATE rule_set_versions SET state = 'published', published_at = now(), note = coalesce($2, note),
                    publisher_id = $3, publisher_name = $4
              WHERE rule_set_id = $1 AND state = 'draft'`,
      values: [id, given.note ?? null, actor.person.id, actor.person.name],
    })
    const before = { version: set.published?.number ?? null }
    const details = { before, after: { version: set.draft.number, note: given.note } }
    await recordChange(sql, actor, { action: 'rules.publish', object: asObject(set), details })
  })
}

/** SQL: whether a backtest used the current rules of the draft: each draft restarts its revisions. */
export const judgedDraft = (b: string): string =>
  `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = ${b}.rule_set_id AND v.state = 'draft'
              AND v.rules = ${b}.draft -> 'rules')`

/** Critical rules (or noPoints) that newly score calls 0 in the draft's last backtest, and are not confirmed. */
async function unconfirmedZeros(sql: Sql, ruleSetId: string, confirmed: string[]): Promise<string[]> {
  const { rows } = await sql.query<{ rule: string }>({
    text: `SELECT z.rule FROM backtests b, jsonb_to_recordset(b.figures -> 'newZeros') AS z (rule text, calls int)
            WHERE b.id = (SELECT t.id FROM backtests t WHERE t.rule_set_id = $1 AND t.status = 'DONE' AND ${judgedDraft('t')}
                           ORDER BY t.id DESC LIMIT 1)
              AND z.calls > 0 AND z.rule <> ALL($2::text[]) ORDER BY 1`,
    values: [ruleSetId, confirmed],
  })
  return rows.map(({ rule }) => rule)
}

/** Creates a draft with the rules of a version. @throws HttpError 403, 404, 409 if there is a draft */
export function restoreVersion(core: Core, actor: PersonActor, id: string, version: string): Promise<RuleSetJson> {
  return changeLocked(core, actor, id, async (sql, set) => {
    const { rules, number, state } = await findVersion(sql, set, actor.person, version)
    if (set.draft) throw conflict(ruleSetMessages.draftThere())
    if (state === 'draft') throw notFound(ruleSetMessages.noVersion())
    await insertVersion(sql, { ruleSetId: id, state: 'draft', rules, note: `= ${number}`, author: actor.person })
    const details = { after: { version: number } }
    await recordChange(sql, actor, { action: 'rules.restore', object: asObject(set), details })
  })
}
