import type { Core } from '../../core.ts'
import type { Page, Step, StepRun } from '../../queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { CrmNotOn, PortalError } from '../portal/errors.ts'
import { webhookOf } from '../portal/webhook.ts'
import { readCalls } from './read.ts'
import { queueCalls, storeCalls } from './rows.ts'
import { awaitFile } from './settle.ts'

/** Calls that are asked for with one request; each may have a second row. */
const AT_ONCE = 25

/** Looks for recordings that come after the end of their calls, many with one request. */
export const filesStep: Step = {
  name: 'crm files',
  table: 'crm_steps',
  keyOf: (config) => (config.CRM_WEBHOOK_URL ? { name: 'files' } : undefined),
  intervalSeconds: 20,
  leaseSeconds: 120,
  isReady: async (core) => (await isOn(core)) && (await dueCalls(core)).length > 0,
  pages: lookForFiles,
  reasonOf: (error) => (isOfPortal(error) ? error.message : 'the service could not store what was read'),
  isHarmless: isOfPortal,
}

function isOfPortal(error: unknown): error is Error {
  return error instanceof PortalError || error instanceof CrmNotOn
}

async function* lookForFiles(core: Core, run: StepRun): AsyncGenerator<Page<unknown>> {
  const webhook = webhookOf(core.config, 'read')!
  for (;;) {
    const due = await dueCalls(core)
    if (due.length === 0) return
    const callIds = [...new Set(due.map(({ call_id: id }) => id))]
    const rows = await readCalls(core, { webhook, lane: 'sync', signal: run.signal }, callIds)
    yield {
      cursor: null,
      commit: async (sql) => {
        await storeCalls(sql, rows)
        await queueCalls(sql, rows)
        await awaitFile(
          sql,
          due.map(({ id }) => id),
        )
      },
    }
  }
}

/** Those whose file may have come by now. */
async function dueCalls(core: Core): Promise<{ id: string; call_id: string }[]> {
  const { rows } = await core.pool.query<{ id: string; call_id: string }>({
    text: `SELECT id, call_id FROM crm_calls WHERE next_file_check_at <= now() ORDER BY next_file_check_at LIMIT ${AT_ONCE}`,
  })
  return rows
}
