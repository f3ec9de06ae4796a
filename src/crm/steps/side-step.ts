import type { Core } from '../../core.ts'
import type { Message } from '../../lib/messages.ts'
import type { Page, Step, StepRun } from '../../queue/steps.ts'
import { CrmNotOn, PortalError } from '../portal/errors.ts'

/** Work with the portal that is no step of its own to an owner. */
export interface SideStep {
  /** Of its row. */
  name: 'files' | 'matches'
  intervalSeconds: number
  /** What is noted where the failure is not the portal's. */
  notStored: Message
  isReady: (core: Core) => Promise<boolean>
  pages: (core: Core, run: StepRun) => AsyncIterable<Page<unknown>>
}

/** Pauses after failures are doubled up to this: calls of now wait for it. */
const LONGEST_PAUSE_SECONDS = 60

/** As a step of the engine: while it fails it is tried again after longer and longer pauses. */
export function asSideStep({ name, intervalSeconds, notStored, isReady, pages }: SideStep): Step {
  return {
    name: `crm ${name}`,
    table: 'crm_steps',
    keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name } : undefined),
    intervalSeconds,
    leaseSeconds: 120,
    isReady,
    pages,
    async end(_, sql) {
      await sql.query({ text: 'UPDATE crm_steps SET failures = 0 WHERE name = $1', values: [name] })
    },
    reasonOf: (error) => (isOfPortal(error) ? error.reason : notStored),
    async failed(_, sql) {
      await sql.query({
        text: `UPDATE crm_steps SET failures = failures + 1,
                      due_at = now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, $2 * power(2, least(failures, 10))))
                WHERE name = $1`,
        values: [name, intervalSeconds],
      })
    },
    isHarmless: isOfPortal,
  }
}

const isOfPortal = (error: unknown): error is PortalError | CrmNotOn =>
  error instanceof PortalError || error instanceof CrmNotOn
