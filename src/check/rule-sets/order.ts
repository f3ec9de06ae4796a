import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import type { RuleSet } from './entity.ts'
import { ruleSetMessages } from './messages.ts'
import { presentRuleSet, RULE_SET_ORDER_SQL, type RuleSetRow } from './present.ts'
import type { RuleSetJson } from './schema.ts'
import { loadEditableRuleSet, loadRuleSetRow, toRuleSetAuditObject } from './service.ts'

/**
 * Returns true if a rule set is limited to departments. These come before rule sets for all calls; `position` orders each group.
 */
export const isRuleSetForDepartments = ({ applies }: Pick<RuleSet, 'applies'>): boolean =>
  (applies.departmentIds ?? []).length > 0

/**
 * Moves a rule set directly before another one of its group, or to the end of its group if `beforeId` is null.
 * @throws HttpError 400 if the other set is the same or in the other group, 403, 404, 409 if one of them is archived
 */
export function moveRuleSet(
  { db }: Core,
  actor: PersonActor,
  id: string,
  { beforeId }: { beforeId: string | null },
): Promise<RuleSetJson> {
  return runInTransaction(db, async (sql) => {
    // The lock prevents a deadlock of two moves that lock each other's rows.
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK_KEYS.moveRuleSets] })
    const set = await loadEditableRuleSet(sql, actor.person, id, true)
    const next = beforeId === null ? undefined : await loadRuleSetRow(sql, actor.person, beforeId)
    if (set.archivedAt ?? next?.archivedAt) throw conflictError(ruleSetMessages.archived())
    if (next && (next.id === set.id || isRuleSetForDepartments(next) !== isRuleSetForDepartments(set)))
      throw badRequestError([ruleSetMessages.otherGroup().withField('beforeId')])
    await renumberRuleSets(sql, actor, set, next)
    return presentRuleSet(actor.person, await loadRuleSetRow(sql, actor.person, id))
  })
}

async function renumberRuleSets(
  sql: Sql,
  actor: PersonActor,
  set: RuleSetRow,
  next: RuleSetRow | undefined,
): Promise<void> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT id FROM rule_sets s WHERE archived_at IS NULL ORDER BY ${RULE_SET_ORDER_SQL}`,
  })
  const oldOrder = rows.map((row) => row.id)
  const others = oldOrder.filter((id) => id !== set.id)
  const newOrder = others.toSpliced(next ? others.indexOf(next.id) : others.length, 0, set.id)
  await sql.query({
    text: `UPDATE rule_sets s SET position = o.n FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, n)
            WHERE s.id = o.id AND s.position <> o.n`,
    values: [newOrder],
  })
  const [before, after] = [oldOrder, newOrder].map((order) => ({ position: order.indexOf(set.id) + 1 }))
  if (before!.position !== after!.position)
    await recordAuditChange(sql, actor, {
      action: 'rules.move',
      object: toRuleSetAuditObject(set),
      details: { before, after },
    })
}

/** A published score set that comes before another score set in the order of use. */
type PrecedingRuleSet = Pick<RuleSet, 'id' | 'name' | 'applies'>

/** Loads the published score sets before a score set, in order. The result is empty for a label set, which does not depend on other sets. */
export async function loadPrecedingRuleSets(sql: Sql, { id, mode }: RuleSetRow): Promise<PrecedingRuleSet[]> {
  if (mode === 'label') return []
  const { rows } = await sql.query<PrecedingRuleSet>({
    text: `SELECT s.id, s.name, s.applies FROM rule_sets s
            WHERE s.mode = 'score' AND s.archived_at IS NULL
              AND EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = s.id AND v.state = 'published')
              AND (${RULE_SET_ORDER_SQL}) < (SELECT ${RULE_SET_ORDER_SQL} FROM rule_sets s WHERE s.id = $1)
            ORDER BY ${RULE_SET_ORDER_SQL}`,
    values: [id],
  })
  return rows
}
