import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { pool } from '../db.ts'
import { badRequest } from '../errors.ts'
import { sendFile } from '../http/range.ts'
import { route, type Route } from '../http/route.ts'
import { receiveUpload } from '../http/upload.ts'
import { newId } from '../lib/ids.ts'
import type { Core } from '../core.ts'
import {
  cancel,
  createFromUpload,
  listRecordings,
  readAudio,
  readRecording,
  remove,
  retry,
  retryFailed,
} from './schema.ts'
import { readCatalog } from './catalog.ts'
import { readFacets } from './facets.ts'
import { listPage } from './listing.ts'
import { catalog, facets } from './overview-schema.ts'
import { presentRecording } from './present.ts'
import {
  cancelRecording,
  checkCallFields,
  createRecording,
  deleteRecording,
  findAudio,
  findRow,
  planRemoval,
  removeFile,
  retryAllFailed,
  retryRecording,
  type StoredAudio,
} from './service.ts'

export const recordingRoutes: Route[] = [
  route(createFromUpload, async ({ ctx, core }) => {
    const { file, fields } = await receiveUpload(ctx, createFromUpload.multipart, uploadTarget(core))
    try {
      if (file.sizeBytes === 0) throw badRequest(['file must not be empty'])
      checkCallFields(core, fields)
      const recording = await createRecording(core, file, fields, 'upload')
      ctx.status = 201
      ctx.set('Location', `/v1/recordings/${recording.id}`)
      ctx.body = recording
    } catch (error) {
      await removeFile(core, file.storageKey)
      throw error
    }
  }),

  route(listRecordings, async ({ ctx, core, actor, query }) => {
    ctx.body = await listPage(core, actor, query)
  }),

  // Before the routes with {id}: a fixed path wins over a parameter.
  route(catalog, async ({ ctx, core, actor, query }) => {
    ctx.body = await readCatalog(core, actor, query)
  }),

  route(facets, async ({ ctx, core, actor, query }) => {
    ctx.body = await readFacets(core, actor, query)
  }),

  route(retryFailed, async ({ ctx, core, actor }) => {
    ctx.body = { retried: await retryAllFailed(core, actor) }
  }),

  route(readRecording, async ({ ctx, core, actor, id }) => {
    ctx.body = presentRecording(await findRow(core, actor, id))
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

  route(remove, async ({ ctx, core, actor, id }) => {
    await deleteRecording(core, actor, id)
    ctx.status = 204
  }),
]

/** An upload that has not ended after a day never will: its file may go. */
const UPLOAD_LIMIT_SECONDS = 24 * 3600

/** Uploads go under a name of ours: what the sender calls the file never becomes a path. */
function uploadTarget(core: Core) {
  return {
    maxBytes: core.config.MAX_UPLOAD_MB * 1024 * 1024,
    async store(content: Readable, originalName: string): Promise<StoredAudio> {
      const id = newId()
      const storageKey = `uploads/${new Date().toISOString().slice(0, 10)}/${id}`
      await planRemoval(pool(core.db), storageKey, UPLOAD_LIMIT_SECONDS)
      const sizeBytes = await core.storage.write(storageKey, content)
      return { storageKey, sizeBytes, fileName: shownName(originalName) }
    },
    discard: ({ storageKey }: StoredAudio) => removeFile(core, storageKey),
  }
}

/** The sender's file name as text to show: no folders, no control characters, at most 255 characters. */
function shownName(originalName: string): string | null {
  const name = originalName
    .split(/[/\\]/)
    .pop()!
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .toWellFormed()
  if (name.length <= 255) return name || null
  const extension = extname(name).slice(0, 20)
  return name.slice(0, 255 - extension.length) + extension
}
