import type { CallsCore } from '../core.ts'
import { notFoundError } from '../../platform/errors.ts'
import { sendStoredFile } from '../../platform/http/send-file.ts'
import { respondCreated, route, type RouteHandlerInput, type Route } from '../../platform/http/route.ts'
import { receiveUpload } from '../../platform/http/upload.ts'
import { createClientAbortSignal } from '../../platform/http/client-abort-signal.ts'
import { hasFullVisibility } from '../../people/managers/visibility.ts'
import { recordingListRoutes } from '../list/list-routes.ts'
import { removePlayableCopies } from '../playback/playable-copies.ts'
import { playbackRoutes } from '../playback/playback-routes.ts'
import { loadRecordingHistory, loadRecordingWaveform } from '../timeline/timeline.ts'
import { readRecordingHistoryOperation, readRecordingWaveformOperation } from '../timeline/timeline-schema.ts'
import { discardStoredFile, storeAudio, withStoredAudio } from './audio-files.ts'
import { addSubmitterAsManager } from './call-manager.ts'
import { correctRecordingOperation } from './correction-schema.ts'
import { correctRecording } from './correction.ts'
import { createRecording } from './create.ts'
import { recordingMessages } from './messages.ts'
import {
  cancelRecordingOperation,
  createRecordingFromStorageOperation,
  createRecordingFromUploadOperation,
  createRecordingFromUrlOperation,
  readAudioOperation,
  readRecordingOperation,
  deleteRecordingOperation,
  retryRecordingOperation,
  retryFailedRecordingsOperation,
} from './operations.ts'
import { presentRecording } from './present.ts'
import { omitNullCallFields } from './schema.ts'
import {
  cancelRecording,
  deleteRecording,
  loadRecordingAudioLocation,
  loadVisibleRecording,
  retryFailedRecordings,
  retryRecording,
} from './service.ts'
import { downloadRecording, registerStoredAudio } from './sources.ts'

const RECORDINGS_PATH = '/v1/recordings'

export const recordingRoutes: Route[] = [
  route(createRecordingFromUploadOperation, async ({ ctx, core, reauthorise }) => {
    const { file, fields } = await receiveUpload(ctx, createRecordingFromUploadOperation.multipart, core.config, {
      store: (content, name) => storeAudio(core, content, name),
      discard: ({ storageKey }) => discardStoredFile(core, storageKey),
    })
    const recording = await withStoredAudio(core, file, async (audio) => {
      const actor = await reauthorise()
      return createRecording(core, actor, audio, await addSubmitterAsManager(core, actor, fields), 'upload')
    })
    return respondCreated(ctx, RECORDINGS_PATH, recording)
  }),

  route(createRecordingFromUrlOperation, async ({ ctx, core, actor, reauthorise, body: { url, ...fields } }) => {
    const caller = { actor, reauthorise }
    return respondCreated(
      ctx,
      RECORDINGS_PATH,
      await downloadRecording(core, caller, url, omitNullCallFields(fields), createClientAbortSignal(ctx)),
    )
  }),

  route(createRecordingFromStorageOperation, async ({ ctx, core, actor, body: { storageKey, ...fields } }) => {
    // A file without a call has no owner. A person who registered it could listen to it and delete it.
    if (!hasFullVisibility(actor)) throw notFoundError(recordingMessages.noFile())
    return respondCreated(
      ctx,
      RECORDINGS_PATH,
      await registerStoredAudio(core, actor, storageKey, omitNullCallFields(fields), 'storage'),
    )
  }),

  // These routes must precede those with {id}.
  ...recordingListRoutes,

  route(readRecordingHistoryOperation, async ({ core, actor, id }) => ({
    items: await loadRecordingHistory(core, actor, id),
  })),

  route(readRecordingWaveformOperation, ({ core, actor, id }) => loadRecordingWaveform(core, actor, id)),

  ...playbackRoutes,

  route(retryFailedRecordingsOperation, async ({ core, actor }) => ({
    retried: await retryFailedRecordings(core, actor),
  })),

  route(readRecordingOperation, async ({ core, actor, id }) =>
    presentRecording(await loadVisibleRecording(core, actor, id)),
  ),

  route(
    correctRecordingOperation,
    ({ core, actor, id, body }: RouteHandlerInput<typeof correctRecordingOperation, CallsCore>) =>
      correctRecording(core, actor, id, body),
  ),

  route(readAudioOperation, async ({ ctx, core, actor, id }) => {
    const { storageKey, fileName } = await loadRecordingAudioLocation(core, actor, id)
    await sendStoredFile(ctx, core.storage, storageKey, fileName ?? id)
  }),

  route(retryRecordingOperation, ({ core, actor, id }) => retryRecording(core, actor, id)),

  route(cancelRecordingOperation, ({ core, actor, id }) => cancelRecording(core, actor, id)),

  route(
    deleteRecordingOperation,
    async ({ ctx, core, actor, id }: RouteHandlerInput<typeof deleteRecordingOperation, CallsCore>) => {
      await deleteRecording(core, actor, id)
      await removePlayableCopies(core, id).catch(() => undefined) // If this fails, the scheduled run removes the copies.
      ctx.status = 204
    },
  ),
]
