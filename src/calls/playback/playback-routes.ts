import { extname } from 'node:path'
import type { CallsCore } from '../core.ts'
import { sendFile, throwAsNotFound } from '../../platform/http/range.ts'
import { route, type Call, type Route } from '../../platform/http/route.ts'
import { browserPlayableExtension } from './browser-playable.ts'
import { findCopy, makeCopy } from './playback.ts'
import { readPlayback } from './playback-schema.ts'
import { findAudio } from '../recordings/service.ts'

export const playbackRoutes: Route[] = [
  route(readPlayback, async ({ ctx, core, actor, id }: Call<typeof readPlayback, CallsCore>) => {
    const { fileName, storageKey, durationSeconds } = await findAudio(core, actor, id)
    const name = (fileName ?? id).slice(0, -extname(fileName ?? '').length || undefined)
    const extension = await browserPlayableExtension(core.storage, storageKey, durationSeconds).catch(throwAsNotFound)
    if (extension) return sendFile(ctx, core.storage, storageKey, name + extension)
    const call = { id: id.toLowerCase(), storageKey }
    const copy = (await findCopy(core, call.id)) ?? (ctx.method === 'HEAD' ? undefined : await makeCopy(core, call))
    if (copy !== undefined) return sendFile(ctx, core.storage, copy, `${name}.wav`)
    ctx.status = 200
    ctx.type = 'audio/wav'
  }),
]
