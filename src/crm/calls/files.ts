import type { Core } from '../../app/core.ts'
import type { Page, Step, StepRun } from '../../platform/queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { BATCH, callBatch, type Asking, type Command } from '../bitrix24/client.ts'
import { PortalError } from '../bitrix24/errors.ts'
import { webhookOf } from '../bitrix24/webhook.ts'
import { asSideStep } from '../steps/side-step.ts'
import { describedBy, isSameFile } from '../bitrix24/files.ts'
import { callMessages } from './messages.ts'
import { readCalls } from '../bitrix24/calls.ts'
import { queueAgain, queueCalls, storeCalls } from './rows.ts'
import { awaitFile, lookAgain } from './settle.ts'

/** Calls that are asked for with one request; each may have a second row. */
const AT_ONCE = 25

/** Looks for recordings that come after the end of their calls, and for those that are others now, many with one request. */
export const filesStep: Step = asSideStep({
  name: 'files',
  intervalSeconds: 20,
  notStored: callMessages.notStored(),
  isReady: async (core) =>
    (await isOn(core)) && ((await awaitedCalls(core)).length > 0 || (await loadedCalls(core)).length > 0),
  pages: lookForFiles,
})

async function* lookForFiles(core: Core, run: StepRun): AsyncGenerator<Page<unknown>> {
  const asking: Asking = { webhook: webhookOf(core.config, 'read')!, lane: 'sync', signal: run.signal }
  yield* lookForMissing(core, asking)
  yield* lookForChanged(core, asking)
}

async function* lookForMissing(core: Core, asking: Asking): AsyncGenerator<Page<unknown>> {
  for (;;) {
    const due = await awaitedCalls(core)
    if (due.length === 0) return
    const callIds = [...new Set(due.map(({ call_id: id }) => id))]
    const parsed = await readCalls(core, asking, callIds)
    yield {
      cursor: null,
      commit: async (sql) => {
        await storeCalls(sql, core.config, parsed)
        await queueCalls(sql, parsed.values)
        await awaitFile(
          sql,
          due.map(({ id }) => id),
        )
      },
    }
  }
}

/** A file may get another content under the same id: its size or version tells. */
async function* lookForChanged(core: Core, asking: Asking): AsyncGenerator<Page<unknown>> {
  for (;;) {
    const due = await loadedCalls(core)
    if (due.length === 0) return
    const commands: Record<string, Command> = Object.fromEntries(
      due.map(({ fileId: id }, n) => [`f${n}`, { method: 'disk.file.get', params: { id } }]),
    )
    const answers = await callBatch(core, asking, commands)
    const changed = due.filter((call, n) => {
      const answer = answers[`f${n}`]!
      const file = answer instanceof PortalError ? undefined : describedBy(call.fileId, answer.result)
      return file !== undefined && !isSameFile(call, file)
    })
    yield {
      cursor: null,
      commit: async (sql) => {
        // Calls before their jobs: a correction locks them in this order, too.
        await lookAgain(
          sql,
          due.map(({ id }) => id),
        )
        await queueAgain(
          sql,
          changed.map(({ callId }) => callId),
        )
      },
    }
  }
}

/** Those whose file may have come by now. */
async function awaitedCalls(core: Core): Promise<{ id: string; call_id: string }[]> {
  const { rows } = await core.pool.query<{ id: string; call_id: string }>({
    text: `SELECT id, call_id FROM crm_calls WHERE next_file_check_at <= now() AND load_state <> 'received'
            ORDER BY next_file_check_at LIMIT ${AT_ONCE}`,
  })
  return rows
}

interface LoadedCall {
  id: string
  callId: string
  fileId: string
  size: string | null
  version: string | null
}

/** Those whose file was loaded and may be another one by now. */
async function loadedCalls(core: Core): Promise<LoadedCall[]> {
  const { rows } = await core.pool.query<LoadedCall>({
    text: `SELECT id, call_id AS "callId", loaded_file_id AS "fileId", file_size AS size, file_version AS version
             FROM crm_calls WHERE next_file_check_at <= now() AND load_state = 'received' AND loaded_file_id IS NOT NULL
            ORDER BY next_file_check_at LIMIT ${BATCH}`,
  })
  return rows
}
