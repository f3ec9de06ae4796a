import type { Sql } from '../../platform/db/sql.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { noteReason } from '../../platform/queue/reasons.ts'
import type { Page, Step, StepRun } from '../../platform/queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import type { Asking } from '../bitrix24/client.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { webhookOf, WebhookError } from '../bitrix24/webhook.ts'
import { deleteStaleEntries } from '../quarantine/store.ts'
import type { StepJson, StepName } from './schema.ts'
import { noteFailure } from './failure.ts'

/** Rows of a page: how many were read, were new, had changed, and how many of their values were invalid. */
export interface Counts {
  read: number
  new: number
  changed: number
  invalid: number
}

/** A page that was read: what to store of it together with the cursor behind it. */
export interface ReadPage<Cursor> {
  cursor: Cursor
  /** Stores its rows, and says how many of them are news. */
  store: (sql: Sql) => Promise<Counts>
  /** Whether another page is asked for: then there is a pause before it. */
  more: boolean
}

/** What a run of a step knows. */
export interface Reading<Position, Cursor> {
  asking: Asking
  /** Where the last whole pass ended; undefined before the first one, and after a reset. */
  position: Position | undefined
  /** Where this pass broke off; undefined at its beginning. */
  cursor: Cursor | undefined
  /** One more with each reset: tells rows of this reading from those of the one before. */
  generation: number
}

/** Something that is read from the CRM again and again. */
export interface CrmStep<Position = unknown, Cursor = unknown> {
  name: StepName
  intervalSeconds: number
  /** When it runs next after a whole pass; without it so long after the begin of the last. */
  nextAt?(core: Core): Date
  /** What must be there before it can run; null where nothing is missing. */
  waitsFor(core: Core): Promise<StepJson['waitsFor']>
  pages(core: Core, reading: Reading<Position, Cursor>): AsyncIterable<ReadPage<Cursor>>
  /** After a whole pass: writes what follows. */
  end?(core: Core, sql: Sql, reading: Reading<Position, Cursor>, cursor: Cursor | undefined): Promise<Ended<Position>>
}

/** What a whole pass leaves. */
export interface Ended<Position> {
  /** What the next one begins from. */
  position?: Position
  /** Something that somebody should look at, though everything was read. */
  notice?: Message | undefined
  /** By what it is known what to do about it: NOTICE, where it says no other. */
  noticeCode?: typeof MORE
}

const TABLE = 'crm_steps'
/** The codes of what somebody should look at after a pass that was whole: rights may have shrunk, or there is more than we know. */
export const NOTICE = 'NOTICE'
export const MORE = 'MORE_CALLS'
/** Longer than a request of the portal may last is not needed: the lease is renewed meanwhile. */
const LEASE_SECONDS = 30

/** The same as a step of the engine: it runs while the automation is on. */
export function asEngineStep<Position, Cursor>(step: CrmStep<Position, Cursor>): Step<Cursor> {
  const readings = new WeakMap<StepRun<Cursor>, Reading<Position, Cursor>>()
  return {
    name: `crm ${step.name}`,
    table: TABLE,
    keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name: step.name } : undefined),
    intervalSeconds: step.intervalSeconds,
    leaseSeconds: LEASE_SECONDS,
    keepsCursor: true,
    isReady: async (core) => (await isOn(core)) && (await canRun(core, step)),
    async *pages(core, run): AsyncGenerator<Page<Cursor>> {
      const reading = await begin<Position, Cursor>(core, step, run)
      readings.set(run, reading)
      let isFirst = run.cursor === undefined
      for await (const { cursor, store, more } of step.pages(core, reading)) {
        const resets = isFirst
        yield { cursor, commit: async (sql) => addCounts(sql, step.name, await store(sql), resets) }
        isFirst = false
        if (more) await pause(core.config.CRM_SYNC_PAUSE_SECONDS * 1000, undefined, { signal: run.signal })
      }
      if (isFirst) yield { cursor: run.cursor as Cursor, commit: (sql) => addCounts(sql, step.name, NONE, true) }
    },
    async end(core, sql, run, cursor) {
      const reading = readings.get(run)!
      const { position, notice, noticeCode = NOTICE } = (await step.end?.(core, sql, reading, cursor)) ?? {}
      if (notice) await noteReason(sql, notice)
      if (reading.position === undefined) await deleteStaleEntries(sql, step.name, reading.generation)
      await sql.query({
        text: `UPDATE crm_steps SET position = $2, last_success_at = now(), failures = 0, hold = NULL, last_error = $3,
                      error_code = $4, due_at = coalesce($5, due_at)
                WHERE name = $1`,
        values: [
          step.name,
          position === undefined ? null : JSON.stringify(position),
          notice?.text,
          notice === undefined ? null : noticeCode,
          step.nextAt?.(core),
        ],
      })
    },
    reasonOf,
    failed: (core, sql, _, error) => noteFailure(core.config, sql, step.name, error),
    isHarmless: (error) => error instanceof PortalError || error instanceof CrmNotOn || error instanceof WebhookError,
  }
}

export const NONE: Counts = { read: 0, new: 0, changed: 0, invalid: 0 }

/** Whether the row lets it run: it does not stand still, and what it needs is there. The engine looks at its time. */
async function canRun(core: Core, { name, waitsFor }: Pick<CrmStep, 'name' | 'waitsFor'>): Promise<boolean> {
  const { rows } = await core.pool.query<{ waits: boolean }>({
    text: `SELECT hold IS NOT NULL OR (due_at > now() AND lease_until IS NULL) OR lease_until > now() AS waits
             FROM crm_steps WHERE name = $1`,
    values: [name],
  })
  return rows[0]?.waits !== true && (await waitsFor(core)) === null
}

async function begin<Position, Cursor>(
  core: Core,
  { name }: { name: StepName },
  run: StepRun<Cursor>,
): Promise<Reading<Position, Cursor>> {
  const webhook = webhookOf(core.config, 'read')!
  const { rows } = await core.pool.query<{ position: Position | null; generation: number }>({
    text: 'SELECT position, generation FROM crm_steps WHERE name = $1',
    values: [name],
  })
  const { position, generation } = rows[0] ?? { position: null, generation: 1 }
  const asking: Asking = { webhook, lane: 'sync', signal: run.signal }
  return { asking, position: position ?? undefined, cursor: run.cursor, generation }
}

/** The counters are those of a pass: they begin anew with its first page. */
async function addCounts(sql: Sql, name: string, counts: Counts, resets: boolean): Promise<void> {
  const set = ['read', 'new', 'changed', 'invalid_values'].map(
    (column, n) => `${column} = ${resets ? '' : `${column} + `}$${n + 2}`,
  )
  await sql.query({
    text: `UPDATE crm_steps SET ${set.join(', ')} WHERE name = $1`,
    values: [name, counts.read, counts.new, counts.changed, counts.invalid],
  })
}

const reasonOf = (error: unknown): Message =>
  error instanceof PortalError || error instanceof CrmNotOn || error instanceof WebhookError
    ? error.reason
    : crmMessages.notStored()
