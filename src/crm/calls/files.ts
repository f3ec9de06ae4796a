import type { Core } from '../../platform/core.ts'
import type { Page, Step } from '../../platform/queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { fetchCalls } from '../bitrix24/calls.ts'
import { BATCH, readingAs, type Asking } from '../bitrix24/client.ts'
import { findFiles, isSameFile, type LoadedFile } from '../bitrix24/files.ts'
import { backgroundStep } from '../steps/failure.ts'
import { callMessages } from './messages.ts'
import { queueAgain, queueCalls, storeCalls } from './rows.ts'
import { markAwaitingAudio, scheduleRecheck } from './settle.ts'

/** Calls of a request; each can have a second row. */
const AT_ONCE = 25

/** Looks for recordings that arrive after the end of their calls, and for recordings that were replaced. */
export const filesStep: Step = backgroundStep({
  name: 'files',
  intervalSeconds: 20,
  notStored: callMessages.notStored(),
  isReady: async (core) =>
    (await isOn(core)) && ((await listAwaited(core)).length > 0 || (await listLoaded(core)).length > 0),
  async *pages(core, { signal }) {
    const asking = readingAs(core, 'sync', signal)
    yield* lookForMissing(core, asking)
    yield* lookForChanged(core, asking)
  },
})

async function* lookForMissing(core: Core, asking: Asking): AsyncGenerator<Page<unknown>> {
  for (;;) {
    const due = await listAwaited(core)
    if (due.length === 0) return
    const callIds = [...new Set(due.map(({ callId }) => callId))]
    const calls = await fetchCalls(core, asking, 'CALL_ID', callIds)
    const ids = due.map(({ id }) => id)
    yield {
      cursor: null,
      commit: async (sql) => {
        await storeCalls(sql, core.config, calls)
        await queueCalls(sql, calls.values)
        await markAwaitingAudio(sql, ids)
      },
    }
  }
}

/** A file can get other content under the same id: its size or version changes. */
async function* lookForChanged(core: Core, asking: Asking): AsyncGenerator<Page<unknown>> {
  for (;;) {
    const due = await listLoaded(core)
    if (due.length === 0) return
    const fileIds = due.map(({ fileId }) => fileId)
    const files = await findFiles(core, asking, fileIds)
    const changed = due.filter((call, n) => files[n] && !isSameFile(call, files[n]))
    const [ids, callIds] = [due.map(({ id }) => id), changed.map(({ callId }) => callId)]
    yield {
      cursor: null,
      commit: async (sql) => {
        // Calls before their jobs: a correction locks them in this order, too.
        await scheduleRecheck(sql, ids)
        await queueAgain(sql, callIds)
      },
    }
  }
}

/** Calls whose file can have arrived by now. */
async function listAwaited(core: Core): Promise<{ id: string; callId: string }[]> {
  const { rows } = await core.pool.query<{ id: string; callId: string }>({
    text: `SELECT id, call_id AS "callId" FROM crm_calls WHERE next_file_check_at <= now() AND load_state <> 'received'
            ORDER BY next_file_check_at LIMIT ${AT_ONCE}`,
  })
  return rows
}

type LoadedCall = LoadedFile & { id: string; callId: string; fileId: string }

/** Loaded calls whose file can have been replaced by now. */
async function listLoaded(core: Core): Promise<LoadedCall[]> {
  const { rows } = await core.pool.query<LoadedCall>({
    text: `SELECT id, call_id AS "callId", loaded_file_id AS "fileId", file_size AS size, file_version AS version
             FROM crm_calls WHERE next_file_check_at <= now() AND load_state = 'received' AND loaded_file_id IS NOT NULL
            ORDER BY next_file_check_at LIMIT ${BATCH}`,
  })
  return rows
}
