import type { CallsCore } from '../core.ts'
import { notFoundError } from '../../platform/errors.ts'
import { sendFile } from '../../platform/http/send-file.ts'
import { respondCreated, route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import { receiveUpload } from '../../platform/http/upload.ts'
import { clientAbortSignal } from '../../platform/http/client-abort-signal.ts'
import { canSeeAll } from '../../people/managers/visibility.ts'
import { listRoutes } from '../list/list-routes.ts'
import { removePlayableCopies } from '../playback/playable-copies.ts'
import { playbackRoutes } from '../playback/playback-routes.ts'
import { loadHistory, loadWaveform } from '../timeline/timeline.ts'
import { readHistoryOperation, readWaveformOperation } from '../timeline/timeline-schema.ts'
import { discardFile, storeAudio, withStoredAudio } from './audio-files.ts'
import { addDefaultManager } from './call-manager.ts'
import { correctRecordingOperation } from './correction-schema.ts'
import { correctRecording } from './correction.ts'
import { createRecording } from './create.ts'
import { recordingMessages } from './messages.ts'
import {
  cancelRecordingOperation,
  createRecordingFromStorage,
  createRecordingFromUpload,
  createRecordingFromUrl,
  readAudio,
  readRecording,
  deleteRecordingOperation,
  retryRecordingOperation,
  retryFailedRecordingsOperation,
} from './operations.ts'
import { presentRecording } from './present.ts'
import { omitNullFields } from './schema.ts'
import {
  cancelRecording,
  deleteRecording,
  loadAudioLocation,
  loadVisibleRecording,
  retryFailedRecordings,
  retryRecording,
} from './service.ts'
import { downloadRecording, registerStoredAudio } from './sources.ts'

const RECORDINGS_PATH = '/v1/recordings'

export const recordingRoutes: Route[] = [
  route(createRecordingFromUpload, async ({ ctx, core, reauthorise }) => {
    const { file, fields } = await receiveUpload(ctx, createRecordingFromUpload.multipart, core.config, {
      store: (content, name) => storeAudio(core, content, name),
      discard: ({ storageKey }) => discardFile(core, storageKey),
    })
    const recording = await withStoredAudio(core, file, async (audio) => {
      const actor = await reauthorise()
      return createRecording(core, actor, audio, await addDefaultManager(core, actor, fields), 'upload')
    })
    return respondCreated(ctx, RECORDINGS_PATH, recording)
  }),

  route(createRecordingFromUrl, async ({ ctx, core, actor, reauthorise, body: { url, ...fields } }) => {
    const caller = { actor, reauthorise }
    return respondCreated(
      ctx,
      RECORDINGS_PATH,
      await downloadRecording(core, caller, url, omitNullFields(fields), clientAbortSignal(ctx)),
    )
  }),

  route(createRecordingFromStorage, async ({ ctx, core, actor, body: { storageKey, ...fields } }) => {
    // A file without a call has no owner. A person who registered it could listen to it and delete it.
    if (!canSeeAll(actor)) throw notFoundError(recordingMessages.noFile())
    return respondCreated(
      ctx,
      RECORDINGS_PATH,
      await registerStoredAudio(core, actor, storageKey, omitNullFields(fields), 'storage'),
    )
  }),

  // These routes must precede those with {id}.
  ...listRoutes,

  route(readHistoryOperation, async ({ core, actor, id }) => ({ items: await loadHistory(core, actor, id) })),

  route(readWaveformOperation, ({ core, actor, id }) => loadWaveform(core, actor, id)),

  ...playbackRoutes,

  route(retryFailedRecordingsOperation, async ({ core, actor }) => ({
    retried: await retryFailedRecordings(core, actor),
  })),

  route(readRecording, async ({ core, actor, id }) => presentRecording(await loadVisibleRecording(core, actor, id))),

  route(
    correctRecordingOperation,
    ({ core, actor, id, body }: HandlerInput<typeof correctRecordingOperation, CallsCore>) =>
      correctRecording(core, actor, id, body),
  ),

  route(readAudio, async ({ ctx, core, actor, id }) => {
    const { storageKey, fileName } = await loadAudioLocation(core, actor, id)
    await sendFile(ctx, core.storage, storageKey, fileName ?? id)
  }),

  route(retryRecordingOperation, ({ core, actor, id }) => retryRecording(core, actor, id)),

  route(cancelRecordingOperation, ({ core, actor, id }) => cancelRecording(core, actor, id)),

  route(
    deleteRecordingOperation,
    async ({ ctx, core, actor, id }: HandlerInput<typeof deleteRecordingOperation, CallsCore>) => {
      await deleteRecording(core, actor, id)
      await removePlayableCopies(core, id).catch(() => undefined) // If this fails, the scheduled run removes the copies.
      ctx.status = 204
    },
  ),
]
