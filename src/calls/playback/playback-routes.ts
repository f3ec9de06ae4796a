import { extname } from 'node:path'
import type { CallsCore } from '../core.ts'
import { sendFile, throwAsNotFound } from '../../platform/http/send-file.ts'
import { route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import { detectPlayableExtension } from './browser-playable.ts'
import { findPlayableCopy, ensurePlayableCopy } from './playable-copies.ts'
import { playRecordingOperation } from './playback-schema.ts'
import { loadAudioLocation } from '../recordings/service.ts'

export const playbackRoutes: Route[] = [
  route(
    playRecordingOperation,
    async ({ ctx, core, actor, id }: HandlerInput<typeof playRecordingOperation, CallsCore>) => {
      const { fileName, storageKey, durationSeconds } = await loadAudioLocation(core, actor, id)
      const name = (fileName ?? id).slice(0, -extname(fileName ?? '').length || undefined)
      const extension = await detectPlayableExtension(core.storage, storageKey, durationSeconds).catch(throwAsNotFound)
      if (extension) return sendFile(ctx, core.storage, storageKey, name + extension)
      const call = { id: id.toLowerCase(), storageKey }
      const copy =
        (await findPlayableCopy(core, call.id)) ??
        (ctx.method === 'HEAD' ? undefined : await ensurePlayableCopy(core, call))
      if (copy !== undefined) return sendFile(ctx, core.storage, copy, `${name}.wav`)
      ctx.status = 200
      ctx.type = 'audio/wav'
    },
  ),
]
