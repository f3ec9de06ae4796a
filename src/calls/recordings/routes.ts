import type { CallsCore } from '../core.ts'
import { notFound } from '../../platform/errors.ts'
import { sendFile } from '../../platform/http/range.ts'
import { created, route, type Call, type Route } from '../../platform/http/route.ts'
import { receiveUpload } from '../../platform/http/upload.ts'
import { clientAbortSignal } from '../../platform/http/waiting.ts'
import { seesAll } from '../../people/managers/visibility.ts'
import { listRoutes } from '../list/list-routes.ts'
import { removeCopies } from '../playback/playback.ts'
import { playbackRoutes } from '../playback/playback-routes.ts'
import { readHistory, readWaveform } from '../timeline/timeline.ts'
import { history, waveform } from '../timeline/timeline-schema.ts'
import { discardFile, storeAudio, withStoredAudio } from './audio-files.ts'
import { withDefaultManager } from './call-manager.ts'
import { correct } from './correction-schema.ts'
import { correctRecording } from './correction.ts'
import { createRecording } from './create.ts'
import { recordingMessages } from './messages.ts'
import {
  cancel,
  createFromStorage,
  createFromUpload,
  createFromUrl,
  readAudio,
  readRecording,
  remove,
  retry,
  retryFailed,
} from './operations.ts'
import { presentRecording } from './present.ts'
import { givenFields } from './schema.ts'
import { cancelRecording, deleteRecording, findAudio, findRow, retryAllFailed, retryRecording } from './service.ts'
import { downloadRecording, registerStored } from './sources.ts'

const PATH = '/v1/recordings'

export const recordingRoutes: Route[] = [
  route(createFromUpload, async ({ ctx, core, reauthorise }) => {
    const { file, fields } = await receiveUpload(ctx, createFromUpload.multipart, core.config, {
      store: (content, name) => storeAudio(core, content, name),
      discard: ({ storageKey }) => discardFile(core, storageKey),
    })
    const recording = await withStoredAudio(core, file, async (audio) => {
      const actor = await reauthorise()
      return createRecording(core, actor, audio, await withDefaultManager(core, actor, fields), 'upload')
    })
    return created(ctx, PATH, recording)
  }),

  route(createFromUrl, async ({ ctx, core, actor, reauthorise, body: { url, ...given } }) => {
    const caller = { actor, reauthorise }
    return created(ctx, PATH, await downloadRecording(core, caller, url, givenFields(given), clientAbortSignal(ctx)))
  }),

  route(createFromStorage, async ({ ctx, core, actor, body: { storageKey, ...given } }) => {
    // An object without a call belongs to nobody: a person who registers it could hear it and delete it.
    if (!seesAll(actor)) throw notFound(recordingMessages.noFile())
    return created(ctx, PATH, await registerStored(core, actor, storageKey, givenFields(given), 'storage'))
  }),

  // Before the routes with {id}
  ...listRoutes,

  route(history, async ({ core, actor, id }) => ({ items: await readHistory(core, actor, id) })),

  route(waveform, ({ core, actor, id }) => readWaveform(core, actor, id)),

  ...playbackRoutes,

  route(retryFailed, async ({ core, actor }) => ({ retried: await retryAllFailed(core, actor) })),

  route(readRecording, async ({ core, actor, id }) => presentRecording(await findRow(core, actor, id))),

  route(correct, ({ core, actor, id, body }: Call<typeof correct, CallsCore>) =>
    correctRecording(core, actor, id, body),
  ),

  route(readAudio, async ({ ctx, core, actor, id }) => {
    const { storageKey, fileName } = await findAudio(core, actor, id)
    await sendFile(ctx, core.storage, storageKey, fileName ?? id)
  }),

  route(retry, ({ core, actor, id }) => retryRecording(core, actor, id)),

  route(cancel, ({ core, actor, id }) => cancelRecording(core, actor, id)),

  route(remove, async ({ ctx, core, actor, id }: Call<typeof remove, CallsCore>) => {
    await deleteRecording(core, actor, id)
    await removeCopies(core, id).catch(() => undefined) // the schedule does it later
    ctx.status = 204
  }),
]
