import type { Core } from '../../platform/core.ts'
import type { StepPage, Step } from '../../platform/queue/steps.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { fetchPortalCalls } from '../bitrix24/calls.ts'
import { MAX_PORTAL_BATCH_COMMANDS, createPortalReadAccess, type PortalAccess } from '../bitrix24/client.ts'
import { fetchPortalFileInfos, isSamePortalFile, type LoadedPortalFile } from '../bitrix24/files.ts'
import { createCrmBackgroundStep } from '../steps/failure.ts'
import { crmCallMessages } from './messages.ts'
import { requeueCrmCalls, queueCrmCallsToLoad, storeCrmCalls } from './store-calls.ts'
import { scheduleMissingFileChecks, scheduleFileReplacementCheck } from './complete-load.ts'

/** With two rows per call, 25 calls fill a page. */
const MAX_CALLS_PER_REQUEST = 25

/** Finds recordings that arrived after the end of their calls, and recordings that were replaced. */
export const crmFilesStep: Step = createCrmBackgroundStep({
  name: 'files',
  intervalSeconds: 20,
  notStored: crmCallMessages.notStored(),
  isReady: async (core) =>
    (await isCrmAutomationOn(core)) &&
    ((await listCallsAwaitingFile(core)).length > 0 || (await listLoadedCalls(core)).length > 0),
  async *pages(core, { signal }) {
    const access = createPortalReadAccess(core, 'sync', signal)
    yield* fetchMissingFiles(core, access)
    yield* fetchChangedFiles(core, access)
  },
})

async function* fetchMissingFiles(core: Core, access: PortalAccess): AsyncGenerator<StepPage<unknown>> {
  for (;;) {
    const due = await listCallsAwaitingFile(core)
    if (due.length === 0) return
    const callIds = [...new Set(due.map(({ callId }) => callId))]
    const calls = await fetchPortalCalls(core, access, 'CALL_ID', callIds)
    const ids = due.map(({ id }) => id)
    yield {
      cursor: null,
      commit: async (sql) => {
        await storeCrmCalls(sql, core.config, calls)
        await queueCrmCallsToLoad(sql, calls.values)
        await scheduleMissingFileChecks(sql, ids)
      },
    }
  }
}

/** The size or version of a file changes if its content is replaced under the same id. */
async function* fetchChangedFiles(core: Core, access: PortalAccess): AsyncGenerator<StepPage<unknown>> {
  for (;;) {
    const due = await listLoadedCalls(core)
    if (due.length === 0) return
    const fileIds = due.map(({ fileId }) => fileId)
    const files = await fetchPortalFileInfos(core, access, fileIds)
    const changed = due.filter((call, n) => files[n] && !isSamePortalFile(call, files[n]))
    const [ids, callIds] = [due.map(({ id }) => id), changed.map(({ callId }) => callId)]
    yield {
      cursor: null,
      commit: async (sql) => {
        // Lock calls before their jobs, like a correction does.
        await scheduleFileReplacementCheck(sql, ids)
        await requeueCrmCalls(sql, callIds)
      },
    }
  }
}

async function listCallsAwaitingFile(core: Core): Promise<{ id: string; callId: string }[]> {
  const { rows } = await core.pool.query<{ id: string; callId: string }>({
    text: `SELECT id, call_id AS "callId" FROM crm_calls WHERE next_file_check_at <= now() AND load_state <> 'received'
            ORDER BY next_file_check_at LIMIT ${MAX_CALLS_PER_REQUEST}`,
  })
  return rows
}

type LoadedCall = LoadedPortalFile & { id: string; callId: string; fileId: string }

async function listLoadedCalls(core: Core): Promise<LoadedCall[]> {
  const { rows } = await core.pool.query<LoadedCall>({
    text: `SELECT id, call_id AS "callId", loaded_file_id AS "fileId", file_size AS size, file_version AS version
             FROM crm_calls WHERE next_file_check_at <= now() AND load_state = 'received' AND loaded_file_id IS NOT NULL
            ORDER BY next_file_check_at LIMIT ${MAX_PORTAL_BATCH_COMMANDS}`,
  })
  return rows
}
