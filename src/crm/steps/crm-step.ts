import type { Sql } from '../../platform/db/sql.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { toStoredReason } from '../../platform/lib/stored-reason.ts'
import type { StepPage, Step, StepRun } from '../../platform/queue/steps.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { createPortalReadAccess, type PortalAccess } from '../bitrix24/client.ts'
import { PortalFailure } from '../bitrix24/errors.ts'
import { crmMessages } from '../messages.ts'
import { deleteStaleQuarantineEntries, ZERO_PAGE_COUNTS, type CrmPageCounts } from '../quarantine/store.ts'
import { recordCrmStepFailure } from './failure.ts'
import type { CrmStepJson, CrmStepName } from './schema.ts'

/** A page that a step has read. `store` and the cursor are committed in one transaction. */
export interface CrmStepPage<Cursor> {
  cursor: Cursor
  store: (sql: Sql) => Promise<CrmPageCounts>
}

/** The access and position of one run of a step. */
export interface CrmStepContext<Position, Cursor> {
  access: PortalAccess
  /** Where the last complete pass ended; undefined before the first one and after a reset. */
  position: Position | undefined
  /** Where the current pass was interrupted; undefined at its start. */
  cursor: Cursor | undefined
  /** Increases with each reset. Quarantined rows store it, so that rows from before the reset can be found. */
  generation: number
}

/** A step that repeatedly reads a list of the CRM. A pass reads all its pages, and a run can be a part of a pass. */
export interface CrmStep<Position = unknown, Cursor = unknown> {
  name: CrmStepName
  intervalSeconds: number
  /** The pause after each page, by default CRM_SYNC_PAUSE_SECONDS. */
  pauseSeconds?(config: Config): number
  /** The step that must have succeeded once before this one runs. */
  after?: CrmStepName
  /** Returns another missing condition; null if none is missing. */
  waitsFor?(core: Core): Promise<CrmStepJson['waitsFor']>
  /** Returns the time of the next pass, by default `intervalSeconds` after the start of the last one. */
  nextAt?(core: Core): Date
  pages(core: Core, context: CrmStepContext<Position, Cursor>): AsyncIterable<CrmStepPage<Cursor>>
  end?(
    core: Core,
    sql: Sql,
    context: CrmStepContext<Position, Cursor>,
    cursor: Cursor | undefined,
  ): Promise<CrmStepPassResult<Position>>
}

/** The result of a complete pass: the next position, and a notice for people. */
export interface CrmStepPassResult<Position> {
  position?: Position
  /** A message for a person, although the pass succeeded. */
  notice?: Message | undefined
  /** The panel selects its advice by this code. The default is STEP_NOTICE_CODE. */
  noticeCode?: typeof STEP_MORE_CALLS_CODE
}

/** Returns the first missing condition of a step; null if it can run. */
export async function findMissingStepCondition(core: Core, step: CrmStep): Promise<CrmStepJson['waitsFor']> {
  if (step.after && !(await hasCrmStepSucceeded(core, step.after))) return step.after
  return (await step.waitsFor?.(core)) ?? null
}

/** Returns true if a step has ever completed a pass. */
export async function hasCrmStepSucceeded(core: Core, name: CrmStepName): Promise<boolean> {
  const text = 'SELECT FROM crm_steps WHERE name = $1 AND last_success_at IS NOT NULL'
  return (await core.pool.query({ text, values: [name] })).rowCount === 1
}

const STEPS_TABLE = 'crm_steps'
/** Codes of notices: lost permissions, and unknown calls in the portal. */
export const STEP_NOTICE_CODE = 'NOTICE'
export const STEP_MORE_CALLS_CODE = 'MORE_CALLS'
const LEASE_SECONDS = 30

/** Converts a CRM step to a step of the scheduler. It runs only while the automation is on. */
export function toSchedulerStep<Position, Cursor>(step: CrmStep<Position, Cursor>): Step<Cursor> {
  return {
    name: `crm ${step.name}`,
    table: STEPS_TABLE,
    keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name: step.name } : undefined),
    intervalSeconds: step.intervalSeconds,
    leaseSeconds: LEASE_SECONDS,
    keepsCursor: true,
    isReady: async (core) => (await isCrmAutomationOn(core)) && (await canRunStep(core, step)),
    async *pages(core, run): AsyncGenerator<StepPage<Cursor>> {
      const context = await loadStepContext<Position, Cursor>(core, core.pool, step.name, run)
      const seconds = step.pauseSeconds?.(core.config) ?? core.config.CRM_SYNC_PAUSE_SECONDS
      let isFirst = run.cursor === undefined
      for await (const { cursor, store } of step.pages(core, context)) {
        const shouldReset = isFirst
        yield { cursor, commit: async (sql) => updateCounts(sql, step.name, await store(sql), shouldReset) }
        isFirst = false
        await pause(seconds * 1000, undefined, { signal: run.signal })
      }
      if (isFirst)
        yield { cursor: run.cursor as Cursor, commit: (sql) => updateCounts(sql, step.name, ZERO_PAGE_COUNTS, true) }
    },
    async end(core, sql, run, cursor) {
      const context = await loadStepContext<Position, Cursor>(core, sql, step.name, run)
      const { position, notice, noticeCode = STEP_NOTICE_CODE } = (await step.end?.(core, sql, context, cursor)) ?? {}
      if (context.position === undefined) await deleteStaleQuarantineEntries(sql, step.name, context.generation)
      await sql.query({
        text: `UPDATE crm_steps SET position = $2, last_success_at = now(), failures = 0, hold = NULL, last_error = $3,
                      message_json = $6, error_code = $4, due_at = coalesce($5, due_at)
                WHERE name = $1`,
        values: [
          step.name,
          position === undefined ? null : JSON.stringify(position),
          notice?.text,
          notice === undefined ? null : noticeCode,
          step.nextAt?.(core),
          notice && toStoredReason(notice),
        ],
      })
    },
    reasonOf: (error) => (error instanceof PortalFailure ? error.reason : crmMessages.notStored()),
    failed: (core, sql, _, error) => recordCrmStepFailure(core.config, sql, step.name, error),
    isHarmless: (error) => error instanceof PortalFailure,
  }
}

async function canRunStep(core: Core, step: CrmStep): Promise<boolean> {
  const { rows } = await core.pool.query<{ waits: boolean }>({
    text: `SELECT hold IS NOT NULL OR (due_at > now() AND lease_until IS NULL) OR lease_until > now() AS waits
             FROM crm_steps WHERE name = $1`,
    values: [step.name],
  })
  return rows[0]?.waits !== true && (await findMissingStepCondition(core, step)) === null
}

/** @param sql the current transaction, if there is one, because a second connection could wait for an exhausted pool */
async function loadStepContext<Position, Cursor>(
  core: Core,
  sql: Sql,
  name: CrmStepName,
  { cursor, signal }: StepRun<Cursor>,
) {
  const { rows } = await sql.query<{ position: Position | null; generation: number }>({
    text: 'SELECT position, generation FROM crm_steps WHERE name = $1',
    values: [name],
  })
  const { position, generation } = rows[0] ?? { position: null, generation: 1 }
  return { access: createPortalReadAccess(core, 'sync', signal), position: position ?? undefined, cursor, generation }
}

/** The first page of a pass resets the counters. */
async function updateCounts(sql: Sql, name: string, counts: CrmPageCounts, shouldReset: boolean): Promise<void> {
  const set = ['read', 'new', 'changed', 'invalid_values'].map(
    (column, n) => `${column} = ${shouldReset ? '' : `${column} + `}$${n + 2}`,
  )
  await sql.query({
    text: `UPDATE crm_steps SET ${set.join(', ')} WHERE name = $1`,
    values: [name, counts.read, counts.new, counts.changed, counts.invalid],
  })
}
