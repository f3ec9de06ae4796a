import { extname } from 'node:path'
import type { CallsCore } from '../core.ts'
import { sendStoredFile, throwMissingObjectAsNotFound } from '../../platform/http/send-file.ts'
import { route, type RouteHandlerInput, type Route } from '../../platform/http/route.ts'
import { detectBrowserPlayableExtension } from './browser-playable.ts'
import { findPlayableCopyKey, ensurePlayableCopy } from './playable-copies.ts'
import { playRecordingOperation } from './playback-schema.ts'
import { loadRecordingAudioLocation } from '../recordings/service.ts'

export const playbackRoutes: Route[] = [
  route(
    playRecordingOperation,
    async ({ ctx, core, actor, id }: RouteHandlerInput<typeof playRecordingOperation, CallsCore>) => {
      const { fileName, storageKey, durationSeconds } = await loadRecordingAudioLocation(core, actor, id)
      const name = (fileName ?? id).slice(0, -extname(fileName ?? '').length || undefined)
      const extension = await detectBrowserPlayableExtension(core.storage, storageKey, durationSeconds).catch(
        throwMissingObjectAsNotFound,
      )
      if (extension) return sendStoredFile(ctx, core.storage, storageKey, name + extension)
      const call = { id: id.toLowerCase(), storageKey }
      const copy =
        (await findPlayableCopyKey(core, call.id)) ??
        (ctx.method === 'HEAD' ? undefined : await ensurePlayableCopy(core, call))
      if (copy !== undefined) return sendStoredFile(ctx, core.storage, copy, `${name}.wav`)
      ctx.status = 200
      ctx.type = 'audio/wav'
    },
  ),
]
