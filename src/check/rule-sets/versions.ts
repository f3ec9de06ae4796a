import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import type { RuleSet, RuleSetVersion } from './entity.ts'
import { hashRules } from './hash.ts'
import { ruleSetMessages } from './messages.ts'
import { canEditRuleSet } from './policy.ts'
import { presentRuleSetVersion, presentRuleSetVersionSummary, type RuleSetRow } from './present.ts'
import type { RuleSetJson, RuleSetVersionJson } from './schema.ts'
import { toRuleSetAuditObject, changeLockedRuleSet, loadRuleSetRow, insertRuleSetVersion } from './service.ts'
import { validateRules } from './violations.ts'

const VERSION_COLUMNS_SQL = `
  id, rule_set_id AS "ruleSetId", number, state, rules, hash, revision, note, author_id AS "authorId",
  author_name AS "authorName", publisher_id AS "publisherId", publisher_name AS "publisherName", created_at AS "createdAt",
  changed_at AS "changedAt", published_at AS "publishedAt", retired_at AS "retiredAt"`

/** The versions of rule set $1 that a person can see. Only people who can edit the set see its draft. */
const visibleVersionsSql = (me: ActingPerson, { applies }: RuleSetRow): string =>
  `rule_set_versions WHERE rule_set_id = $1${canEditRuleSet(me, applies) ? '' : ` AND state <> 'draft'`}`

/** Lists the versions of a rule set that the person can see, newest first. @throws HttpError 404 */
export async function listRuleSetVersions({ pool }: Core, me: ActingPerson, id: string, page: PageRequest) {
  const from = visibleVersionsSql(me, await loadRuleSetRow(pool, me, id))
  const list = { select: VERSION_COLUMNS_SQL, from, order: 'number DESC', values: [id] }
  const result = await listPage<RuleSetVersion>(pool, list, page)
  return { ...result, items: result.items.map(presentRuleSetVersionSummary) }
}

/**
 * Loads a version with its rules.
 * @param version the number of the version, from the path of the request
 * @throws HttpError 404 if the person cannot see it
 */
export async function loadRuleSetVersion(
  { pool }: Core,
  me: ActingPerson,
  id: string,
  version: string,
): Promise<RuleSetVersionJson> {
  return presentRuleSetVersion(await loadRuleSetVersionRow(pool, await loadRuleSetRow(pool, me, id), me, version))
}

async function loadRuleSetVersionRow(
  sql: Sql,
  set: RuleSetRow,
  me: ActingPerson,
  version: string,
): Promise<RuleSetVersion> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw notFoundError(ruleSetMessages.noVersion())
  const { rows } = await sql.query<RuleSetVersion>({
    text: `SELECT ${VERSION_COLUMNS_SQL} FROM ${visibleVersionsSql(me, set)} AND number = $2`,
    values: [set.id, Number(version)],
  })
  if (!rows[0]) throw notFoundError(ruleSetMessages.noVersion())
  return rows[0]
}

/** The fields of the rule set can be repeated, but not changed. */
interface DraftRequest extends Partial<Pick<RuleSet, 'key' | 'name' | 'mode' | 'applies'>> {
  revision?: number
  rules: unknown[]
  note?: string | null
}

/**
 * Saves the draft of a rule set and increments its revision. A missing draft is created.
 * @throws HttpError 400, 403, 404, 409 if the revision is stale or the rule set is archived
 */
export function saveRuleSetDraft(
  core: Core,
  actor: PersonActor,
  id: string,
  request: DraftRequest,
): Promise<RuleSetJson> {
  return changeLockedRuleSet(core, actor, id, async (sql, set) => {
    rejectChangedSetFields(set, request)
    rejectStaleRevision(set, request.revision ?? 0)
    const rules = await validateRules(set, request.rules)
    const { note = set.draft?.note ?? null } = request
    const author = actor.person
    if (!set.draft) await insertRuleSetVersion(sql, { ruleSetId: id, state: 'draft', rules, note, author })
    else
      await sql.query({
        text: `UPDATE rule_set_versions SET rules = $2, hash = $3, note = $4, author_id = $5, author_name = $6,
                      revision = revision + 1, changed_at = now()
                WHERE rule_set_id = $1 AND state = 'draft'`,
        values: [id, JSON.stringify(rules), hashRules(rules), note, author.id, author.name],
      })
    const details = { after: { revision: (set.draft?.revision ?? 0) + 1, rules: rules.length } }
    await recordAuditChange(sql, actor, { action: 'rules.draft', object: toRuleSetAuditObject(set), details })
  })
}

/** A client that sends another value of such a field expects it to change, so the request fails. @throws HttpError 400 */
function rejectChangedSetFields(set: RuleSetRow, request: DraftRequest): void {
  const changedFields = (['key', 'name', 'mode', 'applies'] as const).filter(
    (field) => request[field] !== undefined && hashRules(request[field]) !== hashRules(set[field]),
  )
  const selectMessage = (field: (typeof changedFields)[number]) =>
    field === 'name' || field === 'applies' ? ruleSetMessages.asSetPatch() : ruleSetMessages.asSet()
  if (changedFields.length > 0)
    throw badRequestError(changedFields.map((field) => selectMessage(field).withField(field)))
}

/** @throws HttpError 409 */
function rejectStaleRevision({ draft }: RuleSetRow, revision: number): void {
  if ((draft?.revision ?? 0) !== revision) throw conflictError(ruleSetMessages.changedMeanwhile())
}

/** Deletes the draft of a rule set. @throws HttpError 403, 404, 409 if the revision is stale or the rule set is archived */
export async function deleteRuleSetDraft(core: Core, actor: PersonActor, id: string, revision: number): Promise<void> {
  await changeLockedRuleSet(core, actor, id, async (sql, set) => {
    rejectStaleRevision(set, revision)
    if (!set.draft) throw notFoundError(ruleSetMessages.noDraft())
    await sql.query({ text: `DELETE FROM rule_set_versions WHERE rule_set_id = $1 AND state = 'draft'`, values: [id] })
    const details = { before: { revision } }
    await recordAuditChange(sql, actor, { action: 'rules.draft-delete', object: toRuleSetAuditObject(set), details })
  })
}

interface PublishRequest {
  revision: number
  note?: string | null
  confirmNewZeros?: string[]
}

/**
 * Publishes the draft and retires the published version. Of two simultaneous requests, the second fails.
 * @throws HttpError 403, 404, 409 if the revision is stale, or rules that newly score calls 0 are not confirmed
 */
export function publishRuleSetDraft(
  core: Core,
  actor: PersonActor,
  id: string,
  request: PublishRequest,
): Promise<RuleSetJson> {
  return changeLockedRuleSet(core, actor, id, async (sql, set) => {
    rejectStaleRevision(set, request.revision)
    if (!set.draft) throw conflictError(ruleSetMessages.changedMeanwhile())
    const unconfirmed = await loadUnconfirmedZeros(sql, id, request.confirmNewZeros ?? [])
    if (unconfirmed.length > 0) throw conflictError(ruleSetMessages.newZeros({ rules: unconfirmed.join(', ') }))
    await sql.query({
      text: `UPDATE rule_set_versions SET state = 'retired', retired_at = now()
              WHERE rule_set_id = $1 AND state = 'published'`,
      values: [id],
    })
    await sql.query({
      text: `UPDATE rule_set_versions SET state = 'published', published_at = now(), note = coalesce($2, note),
                    publisher_id = $3, publisher_name = $4
              WHERE rule_set_id = $1 AND state = 'draft'`,
      values: [id, request.note ?? null, actor.person.id, actor.person.name],
    })
    const before = { version: set.published?.number ?? null }
    const details = { before, after: { version: set.draft.number, note: request.note } }
    await recordAuditChange(sql, actor, { action: 'rules.publish', object: toRuleSetAuditObject(set), details })
  })
}

/**
 * Tests in SQL whether a test run used the rules of the current draft. Revisions do not suffice, because those of each new draft start at 1.
 * @param b the alias of `backtests`
 */
export const backtestUsesDraftRulesSql = (b: string): string =>
  `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = ${b}.rule_set_id AND v.state = 'draft'
              AND v.rules = ${b}.draft -> 'rules')`

/** Loads critical rules, or noPoints, that newly score calls 0 in the last completed test run of the draft and are not confirmed. */
async function loadUnconfirmedZeros(sql: Sql, ruleSetId: string, confirmed: string[]): Promise<string[]> {
  const { rows } = await sql.query<{ rule: string }>({
    text: `SELECT z.rule FROM backtests b, jsonb_to_recordset(b.figures -> 'newZeros') AS z (rule text, calls int)
            WHERE b.id = (SELECT t.id FROM backtests t WHERE t.rule_set_id = $1 AND t.status = 'DONE' AND ${backtestUsesDraftRulesSql('t')}
                           ORDER BY t.id DESC LIMIT 1)
              AND z.calls > 0 AND z.rule <> ALL($2::text[]) ORDER BY 1`,
    values: [ruleSetId, confirmed],
  })
  return rows.map(({ rule }) => rule)
}

/** Creates a draft with the rules of an earlier version. @throws HttpError 403, 404, 409 if there is a draft */
export function restoreRuleSetVersion(
  core: Core,
  actor: PersonActor,
  id: string,
  version: string,
): Promise<RuleSetJson> {
  return changeLockedRuleSet(core, actor, id, async (sql, set) => {
    const { rules, number, state } = await loadRuleSetVersionRow(sql, set, actor.person, version)
    if (set.draft) throw conflictError(ruleSetMessages.draftThere())
    if (state === 'draft') throw notFoundError(ruleSetMessages.noVersion())
    await insertRuleSetVersion(sql, { ruleSetId: id, state: 'draft', rules, note: `= ${number}`, author: actor.person })
    const details = { after: { version: number } }
    await recordAuditChange(sql, actor, { action: 'rules.restore', object: toRuleSetAuditObject(set), details })
  })
}
