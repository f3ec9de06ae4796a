import { formatReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { SYSTEM_ACTOR, type Actor } from '../../platform/http/actor.ts'
import { insertAuditEntry, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import {
  CRM_AUTOMATION_AUDIT_OBJECT,
  loadEffectiveCrmAutomation,
  ensureCrmAutomationRow,
  CRM_POSITIONS_RELEASE,
} from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { STEP_FAILURES_BEFORE_ATTENTION } from './failure.ts'
import { CRM_STEPS } from './all-steps.ts'
import type { CrmStepJson } from './schema.ts'
import { findMissingStepCondition, STEP_MORE_CALLS_CODE, STEP_NOTICE_CODE } from './crm-step.ts'

type StepRow = Omit<CrmStepJson, 'state' | 'waitsFor' | 'lastRunAt' | 'lastSuccessAt' | 'nextRunAt'> & {
  dueAt: Date
  isDue: boolean
  isRunning: boolean
  lastRunAt: Date | null
  lastSuccessAt: Date | null
  messageJson: StoredReason | null
  failures: number
  hold: 'attention' | 'blocked' | null
}

/** Lists the CRM steps with their states and counters, in the order of their dependencies. */
export async function listCrmSteps(core: Core): Promise<CrmStepJson[]> {
  const [{ state }, { rows }] = await Promise.all([
    loadEffectiveCrmAutomation(core),
    core.pool.query<StepRow>({
      text: `SELECT n.name, coalesce(due_at, now()) AS "dueAt", coalesce(due_at <= now(), true) AS "isDue",
                    coalesce(lease_until > now(), false) AS "isRunning", last_run_at AS "lastRunAt", last_error AS "lastError",
                    message_json AS "messageJson", last_success_at AS "lastSuccessAt", coalesce(read, 0)::int AS read, coalesce(new, 0)::int AS new,
                    coalesce(changed, 0)::int AS changed, coalesce(invalid_values, 0)::int AS "invalidValues",
                    coalesce(failures, 0) AS failures, hold, error_code AS "errorCode",
                    (SELECT count(*)::int FROM crm_quarantine q WHERE q.step = n.name) AS quarantined
               FROM unnest($1::text[]) WITH ORDINALITY AS n (name, position) LEFT JOIN crm_steps s ON s.name = n.name
              ORDER BY n.position`,
      values: [CRM_STEP_NAMES],
    }),
  ])
  return Promise.all(
    rows.map(async (row, n) => {
      const waitsFor = state === 'on' ? await findMissingStepCondition(core, CRM_STEPS[n]!) : 'automation'
      return toStepJson(row, waitsFor)
    }),
  )
}

const CRM_STEP_NAMES = CRM_STEPS.map(({ name }) => name)

function toStepJson(row: StepRow, waitsFor: CrmStepJson['waitsFor']): CrmStepJson {
  const { dueAt, isDue: _, isRunning: __, failures: ___, hold, lastRunAt, lastSuccessAt, messageJson, ...shown } = row
  return {
    ...shown,
    lastError: formatReason(row.lastError, messageJson),
    state: determineStepState(row, waitsFor),
    waitsFor,
    lastRunAt: lastRunAt?.toISOString() ?? null,
    lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
    nextRunAt: waitsFor === null && !hold ? dueAt.toISOString() : null,
  }
}

function determineStepState(row: StepRow, waitsFor: CrmStepJson['waitsFor']): CrmStepJson['state'] {
  if (row.hold) return row.hold
  if (row.isRunning) return 'running'
  if (waitsFor !== null) return 'waiting'
  const needsAttention =
    row.errorCode === STEP_NOTICE_CODE ||
    row.errorCode === STEP_MORE_CALLS_CODE ||
    row.failures >= STEP_FAILURES_BEFORE_ATTENTION
  if (needsAttention) return 'attention'
  if (row.lastError !== null) return 'backing-off'
  return row.isDue ? 'due' : 'waiting'
}

/** @throws HttpError 404 */
async function loadStep(core: Core, name: string): Promise<CrmStepJson> {
  const step = (await listCrmSteps(core)).find((candidate) => candidate.name === name)
  if (!step) throw notFoundError(crmMessages.noStep())
  return step
}

/** Makes a step due now, even if it needed attention. @throws HttpError 404, 409 if a condition is missing */
export async function runCrmStepNow(core: Core, actor: Actor, name: string): Promise<CrmStepJson> {
  const { waitsFor } = await loadStep(core, name)
  if (waitsFor !== null)
    throw conflictError(WAIT_MESSAGES[waitsFor]?.() ?? crmMessages.waitsForStep({ step: waitsFor }))
  await runInTransaction(core.db, async (sql) => {
    await sql.query({
      text: `INSERT INTO crm_steps (name) VALUES ($1)
             ON CONFLICT (name) DO UPDATE SET due_at = now(), hold = NULL, failures = 0 WHERE crm_steps.lease_until IS NULL`,
      values: [name],
    })
    await recordAuditChange(sql, actor, {
      action: 'crm.step-run',
      object: CRM_AUTOMATION_AUDIT_OBJECT,
      details: { step: name },
    })
  })
  return loadStep(core, name)
}

const WAIT_MESSAGES: Record<string, () => Message> = {
  automation: crmMessages.waitsForAutomation,
  roster: crmMessages.waitsForRoster,
  'department-funnels': crmMessages.waitsForFunnels,
}

/** Resets the position of a step, so that it reads from the beginning. Stored rows remain. @throws HttpError 404 */
export async function resetCrmStep(core: Core, actor: Actor, name: string): Promise<CrmStepJson> {
  await loadStep(core, name)
  await runInTransaction(core.db, async (sql) => {
    await resetPositions(sql, [name])
    await recordAuditChange(sql, actor, {
      action: 'crm.step-reset',
      object: CRM_AUTOMATION_AUDIT_OBJECT,
      details: { step: name },
    })
  })
  return loadStep(core, name)
}

/** Resets all steps, so that they read from the beginning. Stored rows remain. */
export async function resetAllCrmSteps(core: Core, actor: Actor): Promise<CrmStepJson[]> {
  await runInTransaction(core.db, async (sql) => {
    await ensureCrmAutomationRow(sql)
    await resetPositions(sql, CRM_STEP_NAMES)
    await recordAuditChange(sql, actor, { action: 'crm.reset', object: CRM_AUTOMATION_AUDIT_OBJECT })
  })
  return listCrmSteps(core)
}

/**
 * Resets all steps once after an update to a release that requires it. Of several starting processes, only one resets them.
 * @param release the number that the release requires
 */
export async function resetCrmStepsForRelease(core: Core, release = CRM_POSITIONS_RELEASE): Promise<void> {
  await runInTransaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: 'UPDATE crm_automation SET positions_release = $1 WHERE positions_release < $1',
      values: [release],
    })
    if (rowCount !== 1) return
    await resetPositions(sql, CRM_STEP_NAMES)
    // Record this work of the service too, because an owner could mistake it for an action of a person.
    await insertAuditEntry(sql, SYSTEM_ACTOR, {
      action: 'crm.reset',
      object: CRM_AUTOMATION_AUDIT_OBJECT,
      details: { release },
    })
    core.log.info({ release }, 'this release reads the CRM from the beginning; stored data stays')
  })
}

/** A running step loses its token, so it cannot store its position. */
async function resetPositions(sql: Sql, names: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_steps SET cursor = NULL, position = NULL, generation = generation + 1, run_token = NULL, lease_until = NULL,
                  due_at = now(), hold = NULL, failures = 0, last_error = NULL, error_code = NULL
            WHERE name = ANY ($1)`,
    values: [names],
  })
  // The step `contacts` has no position. Its rows store when they are due.
  if (names.includes('contacts')) await sql.query({ text: 'UPDATE crm_contacts SET due_at = now()' })
}
