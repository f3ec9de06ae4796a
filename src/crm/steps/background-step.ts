import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import type { Step } from '../../platform/queue/steps.ts'
import { CrmNotOn, PortalFailure } from '../bitrix24/errors.ts'
import { LONGEST_PAUSE_SECONDS, nextTry } from './failure.ts'

/** Work with the portal that owners do not see as a step. */
export interface BackgroundStep extends Pick<Step, 'intervalSeconds' | 'pages'> {
  name: 'files' | 'matches'
  isReady: (core: Core) => Promise<boolean>
  /** Pause in seconds after a failure, which doubles each time, and the longest pause; by default those of steps. */
  pauses?: { first: number; longest: number }
  /** The reason of a failure that is not the portal's. */
  notStored: Message
}

/** Converts background work to a step of the engine. While it fails, its pauses double. */
export function backgroundStep({ name, pauses, notStored, ...step }: BackgroundStep): Step {
  return {
    ...step,
    name: `crm ${name}`,
    table: 'crm_steps',
    keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name } : undefined),
    leaseSeconds: 120,
    async end(_, sql) {
      await sql.query({ text: 'UPDATE crm_steps SET failures = 0 WHERE name = $1', values: [name] })
    },
    reasonOf: (error) => (error instanceof PortalFailure ? error.reason : notStored),
    async failed({ config }, sql, _, error) {
      if (error instanceof CrmNotOn) return
      await sql.query({
        text: `UPDATE crm_steps SET failures = failures + 1, due_at = ${nextTry('$2', '$3')} WHERE name = $1`,
        values: [name, pauses?.first ?? config.CRM_FETCH_RETRY_DELAY_SECONDS, pauses?.longest ?? LONGEST_PAUSE_SECONDS],
      })
    },
    isHarmless: (error) => error instanceof PortalFailure,
  }
}
