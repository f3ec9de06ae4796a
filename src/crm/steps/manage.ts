import type { Sql } from '../../platform/db/sql.ts'
import { SYSTEM, type Actor } from '../../platform/http/actor.ts'
import { insertEntry, recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { currentAutomation, ensureAutomation, POSITIONS_RELEASE } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import { FAILURES_BEFORE_ATTENTION } from './failure.ts'
import { CRM_STEPS } from './list.ts'
import type { StepJson, StepName } from './schema.ts'
import { MORE, NOTICE, type CrmStep } from './step.ts'

interface StepRow {
  name: string
  dueAt: Date
  isDue: boolean
  isRunning: boolean
  lastRunAt: Date | null
  lastError: string | null
  lastSuccessAt: Date | null
  read: number
  new: number
  changed: number
  invalidValues: number
  quarantined: number
  failures: number
  hold: 'attention' | 'blocked' | null
  errorCode: string | null
}

/** Every step as it is now. */
export async function describeSteps(core: Core): Promise<StepJson[]> {
  const [{ state }, rows] = await Promise.all([currentAutomation(core), readRows(core.pool)])
  return Promise.all(
    CRM_STEPS.map(async (step) => {
      const waitsFor = state === 'on' ? await step.waitsFor(core) : 'automation'
      return present(step.name, rows.get(step.name), waitsFor)
    }),
  )
}

async function readRows(sql: Sql): Promise<Map<string, StepRow>> {
  const { rows } = await sql.query<StepRow>({
    text: `SELECT name, due_at AS "dueAt", due_at <= now() AS "isDue", coalesce(lease_until > now(), false) AS "isRunning",
                  last_run_at AS "lastRunAt", last_error AS "lastError", last_success_at AS "lastSuccessAt", read::int, new::int,
                  changed::int, invalid_values::int AS "invalidValues", failures, hold, error_code AS "errorCode",
                  (SELECT count(*)::int FROM crm_quarantine q WHERE q.step = s.name) AS quarantined FROM crm_steps s`,
  })
  return new Map(rows.map((row) => [row.name, row]))
}

function present(name: StepName, row: StepRow | undefined, waitsFor: StepJson['waitsFor']): StepJson {
  const state = stateOf(row, waitsFor)
  return {
    name,
    state,
    waitsFor,
    read: row?.read ?? 0,
    new: row?.new ?? 0,
    changed: row?.changed ?? 0,
    invalidValues: row?.invalidValues ?? 0,
    quarantined: row?.quarantined ?? 0,
    lastRunAt: row?.lastRunAt?.toISOString() ?? null,
    lastSuccessAt: row?.lastSuccessAt?.toISOString() ?? null,
    nextRunAt: waitsFor === null && !row?.hold ? (row?.dueAt ?? new Date()).toISOString() : null,
    lastError: row?.lastError ?? null,
    errorCode: row?.errorCode ?? null,
  }
}

function stateOf(row: StepRow | undefined, waitsFor: StepJson['waitsFor']): StepJson['state'] {
  if (row?.hold) return row.hold
  if (row?.isRunning) return 'running'
  if (waitsFor !== null) return 'waiting'
  if (row?.errorCode === NOTICE || row?.errorCode === MORE || (row && row.failures >= FAILURES_BEFORE_ATTENTION))
    return 'attention'
  if (row && row.lastError !== null) return 'backing-off'
  return !row || row.isDue ? 'due' : 'waiting'
}

function stepOf(name: string): CrmStep {
  const step = CRM_STEPS.find((one) => one.name === name)
  if (!step) throw notFound(crmMessages.noStep())
  return step
}

/** One step as it is now. @throws HttpError 404 */
async function describeStep(core: Core, name: string): Promise<StepJson> {
  return (await describeSteps(core)).find((step) => step.name === name)!
}

/** Makes a step due, also one that stands still. @throws HttpError 404, 409 where something is missing */
export async function runNow(core: Core, actor: Actor, name: string): Promise<StepJson> {
  const step = stepOf(name)
  const { state } = await currentAutomation(core)
  const waitsFor = state === 'on' ? await step.waitsFor(core) : 'automation'
  if (waitsFor !== null) throw conflict(WAITS[waitsFor]?.() ?? crmMessages.waitsForStep({ step: waitsFor }))
  await transaction(core.db, async (sql) => {
    await sql.query({
      text: `INSERT INTO crm_steps (name) VALUES ($1)
             ON CONFLICT (name) DO UPDATE SET due_at = now(), hold = NULL, failures = 0 WHERE crm_steps.lease_until IS NULL`,
      values: [name],
    })
    await recordChange(sql, actor, { action: 'crm.step-run', object: OBJECT, details: { step: name } })
  })
  return describeStep(core, name)
}

const OBJECT = { type: 'settings', id: 'crm' } as const

const WAITS: Record<string, () => Message> = {
  automation: crmMessages.waitsForAutomation,
  roster: crmMessages.waitsForRoster,
  'department-funnels': crmMessages.waitsForFunnels,
}

/** Forgets how far a step has read; what was read stays. @throws HttpError 404 */
export async function resetStep(core: Core, actor: Actor, name: string): Promise<StepJson> {
  stepOf(name)
  await transaction(core.db, async (sql) => {
    await forget(sql, [name])
    await recordChange(sql, actor, { action: 'crm.step-reset', object: OBJECT, details: { step: name } })
  })
  return describeStep(core, name)
}

/** The same of every step. */
export async function resetAll(core: Core, actor: Actor): Promise<StepJson[]> {
  await transaction(core.db, async (sql) => {
    await ensureAutomation(sql)
    await forgetAll(sql)
    await recordChange(sql, actor, { action: 'crm.reset', object: OBJECT })
  })
  return describeSteps(core)
}

/** The same once for a release that asks for it; of several processes that start one does it. */
export async function resetForRelease(core: Core, release = POSITIONS_RELEASE): Promise<void> {
  await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: 'UPDATE crm_automation SET positions_release = $1 WHERE positions_release < $1',
      values: [release],
    })
    if (rowCount !== 1) return
    await forgetAll(sql)
    // Other things that the service does by itself are not noted: this one an owner would else take for somebody's.
    await insertEntry(sql, SYSTEM, { action: 'crm.reset', object: OBJECT, details: { release } })
    core.log.info({ release }, 'this release reads the CRM anew: the read positions are forgotten, what was read stays')
  })
}

async function forgetAll(sql: Sql): Promise<void> {
  await sql.query({ text: 'UPDATE crm_automation SET generation = generation + 1' })
  await forget(
    sql,
    CRM_STEPS.map(({ name }) => name),
  )
}

/** A run under way loses its turn, so that it writes no position any more. */
async function forget(sql: Sql, names: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE crm_steps SET cursor = NULL, position = NULL, generation = generation + 1, run_token = NULL, lease_until = NULL,
                  due_at = now(), hold = NULL, failures = 0, last_error = NULL, error_code = NULL
            WHERE name = ANY ($1)`,
    values: [names],
  })
  // Each row stores when its phones were read; there is no position.
  if (names.includes('contacts')) await sql.query({ text: 'UPDATE crm_contacts SET due_at = now()' })
}
