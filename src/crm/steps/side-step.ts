import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import type { Page, Step, StepRun } from '../../platform/queue/steps.ts'
import { CrmNotOn, PortalError } from '../bitrix24/errors.ts'
import { LONGEST_PAUSE_SECONDS } from './failure.ts'

/** Work with the portal that is no step of its own to an owner. */
export interface SideStep {
  /** Of its row. */
  name: 'files' | 'matches'
  intervalSeconds: number
  /** After failures in a row: the first pause, which is doubled each time, and the longest; as of the steps unless given. */
  pauses?: { first: number; longest: number }
  /** What is noted where the failure is not the portal's. */
  notStored: Message
  isReady: (core: Core) => Promise<boolean>
  pages: (core: Core, run: StepRun) => AsyncIterable<Page<unknown>>
}

/** As a step of the engine: while it fails it is tried again after longer and longer pauses. */
export function asSideStep({ name, intervalSeconds, pauses, notStored, isReady, pages }: SideStep): Step {
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
    async failed({ config }, sql, _, error) {
      if (error instanceof CrmNotOn) return
      const { first, longest } = pauses ?? {
        first: config.CRM_FETCH_RETRY_DELAY_SECONDS,
        longest: LONGEST_PAUSE_SECONDS,
      }
      await sql.query({
        text: `UPDATE crm_steps SET failures = failures + 1,
                      due_at = now() + make_interval(secs => least($3::float8, $2::float8 * power(2, least(failures, 12))))
                WHERE name = $1`,
        values: [name, first, longest],
      })
    },
    isHarmless: isOfPortal,
  }
}

const isOfPortal = (error: unknown): error is PortalError | CrmNotOn =>
  error instanceof PortalError || error instanceof CrmNotOn
