import type { CallsCore } from '../../calls/core.ts'
import { removePlayableCopies } from '../../calls/playback/playable-copies.ts'
import { correctRecordingOperation } from '../../calls/recordings/correction-schema.ts'
import { correctRecording } from '../../calls/recordings/correction.ts'
import {
  cancelRecordingOperation,
  deleteRecordingOperation,
  retryRecordingOperation,
} from '../../calls/recordings/operations.ts'
import { cancelRecording, deleteRecording, retryRecording } from '../../calls/recordings/service.ts'
import type { RecordingStatus } from '../../calls/recordings/values.ts'
import { rerunAnalysisOperation } from '../../check/checks/check-schema.ts'
import { rerunCallCheck } from '../../check/checks/queries.ts'
import { isDatabaseDown, retryDeadlocks } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Operation } from '../../platform/http/operation.ts'
import type { BulkAction, ChangeOutcome } from './values.ts'

/** The change of one call. */
interface CallAction {
  /** The single operation, whose access and rights the bulk action needs. */
  operation: Operation
  /** The statuses in which the change is possible; by default all. */
  statuses?: readonly RecordingStatus[]
  /** @throws HttpError like the single operation */
  change: (core: CallsCore, actor: Actor, id: string, managerName: string | null) => Promise<unknown>
}

export const CALL_ACTIONS: Record<BulkAction, CallAction> = {
  retry: { operation: retryRecordingOperation, statuses: ['FAILED', 'CANCELLED'], change: retryRecording },
  cancel: { operation: cancelRecordingOperation, statuses: ['QUEUED', 'PROCESSING'], change: cancelRecording },
  delete: { operation: deleteRecordingOperation, change: deleteRecordingWithCopies },
  manager: {
    operation: correctRecordingOperation,
    change: (core, actor, id, managerName) => correctRecording(core, actor, id, { managerName }),
  },
  recheck: { operation: rerunAnalysisOperation, statuses: ['DONE'], change: rerunCallCheck },
}

async function deleteRecordingWithCopies(core: CallsCore, actor: Actor, id: string): Promise<void> {
  await deleteRecording(core, actor, id)
  await removePlayableCopies(core, id).catch(() => undefined) // If this fails, the scheduled run removes the copies.
}

const OUTCOMES_BY_STATUS: Record<number, ChangeOutcome> = { 400: 'denied', 404: 'absent', 409: 'refused' }

/**
 * Changes one call.
 * @param stopping if it has aborted, errors are thrown, because they can follow from closed connections
 * @throws an error of a lost database; the call can be changed nevertheless
 */
export async function changeCall(
  core: CallsCore,
  actor: Actor,
  { action, managerName }: { action: BulkAction; managerName: string | null },
  id: string,
  stopping: AbortSignal,
): Promise<ChangeOutcome> {
  try {
    await retryDeadlocks(() => CALL_ACTIONS[action].change(core, actor, id, managerName))
    return 'done'
  } catch (error) {
    const outcome = error instanceof HttpError && OUTCOMES_BY_STATUS[error.statusCode]
    if (outcome) return outcome
    if (isDatabaseDown(error) || stopping.aborted) throw error
    core.log.error({ err: error, recordingId: id, action }, 'a bulk action could not change a call')
    return 'failed'
  }
}
