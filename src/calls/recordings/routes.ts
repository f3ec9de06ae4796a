import type { CallsCore } from '../core.ts'
import type { Readable } from 'node:stream'
import { sendFile } from '../../platform/http/range.ts'
import { route, type Call, type Route } from '../../platform/http/route.ts'
import { receiveUpload } from '../../platform/http/upload.ts'
import type { Core } from '../../platform/core.ts'
import { storeAudio, withStoredAudio, type StoredAudio } from './audio-files.ts'
import { cancel, createFromUpload, readAudio, readRecording, remove, retry, retryFailed } from './operations.ts'
import { correct } from './correction-schema.ts'
import { correctRecording } from './correction.ts'
import { listRoutes } from '../list/list-routes.ts'
import { timelineRoutes } from '../timeline/timeline-routes.ts'
import { withDefaultManager } from './call-manager.ts'
import { removeCopies } from '../playback/playback.ts'
import { playbackRoutes } from '../playback/playback-routes.ts'
import { presentRecording } from './present.ts'
import { discardFile } from './removals.ts'
import { sourceRoutes } from './sources-routes.ts'
import { createRecording } from './create.ts'
import { cancelRecording, deleteRecording, findAudio, findRow, retryAllFailed, retryRecording } from './service.ts'
import { formMessages } from '../../platform/http/messages.ts'

export const recordingRoutes: Route[] = [
  route(createFromUpload, async ({ ctx, core, reauthorise }) => {
    const { file, fields } = await receiveUpload(ctx, createFromUpload.multipart, uploadTarget(core))
    const recording = await withStoredAudio(core, file, async (audio) => {
      const actor = await reauthorise()
      return createRecording(core, actor, audio, await withDefaultManager(core, actor, fields), 'upload')
    })
    ctx.status = 201
    ctx.set('Location', `/v1/recordings/${recording.id}`)
    ctx.body = recording
  }),

  ...sourceRoutes,

  // Before the routes with {id}: a fixed path wins over a parameter.
  ...listRoutes,

  ...timelineRoutes,

  ...playbackRoutes,

  route(retryFailed, async ({ ctx, core, actor }) => {
    ctx.body = { retried: await retryAllFailed(core, actor) }
  }),

  route(readRecording, async ({ ctx, core, actor, id }) => {
    ctx.body = presentRecording(await findRow(core, actor, id))
  }),

  route(correct, async ({ ctx, core, actor, id, body }: Call<typeof correct, CallsCore>) => {
    ctx.body = await correctRecording(core, actor, id, body)
  }),

  route(readAudio, async ({ ctx, core, actor, id }) => {
    const { storageKey, fileName } = await findAudio(core, actor, id)
    await sendFile(ctx, core.storage, storageKey, fileName ?? id)
  }),

  route(retry, async ({ ctx, core, actor, id }) => {
    ctx.body = await retryRecording(core, actor, id)
  }),

  route(cancel, async ({ ctx, core, actor, id }) => {
    ctx.body = await cancelRecording(core, actor, id)
  }),

  route(remove, async ({ ctx, core, actor, id }: Call<typeof remove, CallsCore>) => {
    await deleteRecording(core, actor, id)
    await removeCopies(core, id).catch(() => undefined) // the schedule does it later
    ctx.status = 204
  }),
]

/** Uploads go into the storage as they arrive. */
function uploadTarget(core: Core) {
  return {
    maxBytes: core.config.MAX_UPLOAD_MB * 1024 * 1024,
    rule: core.config,
    violationOf: ({ sizeBytes }: StoredAudio) => (sizeBytes === 0 ? formMessages.emptyFile() : undefined),
    store: (content: Readable, originalName: string) => storeAudio(core, content, originalName),
    discard: ({ storageKey }: StoredAudio) => discardFile(core, storageKey),
  }
}
