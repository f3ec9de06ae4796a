import { extname } from 'node:path'
import type { Context } from 'koa'
import type { CallsCore } from '../core.ts'
import { HttpError, notFound } from '../../platform/errors.ts'
import { sendFile, sendGrowing } from '../../platform/http/range.ts'
import { route, type Call, type Route } from '../../platform/http/route.ts'
import { ObjectMissing } from '../../platform/storage/index.ts'
import { nativeSound } from './native-sound.ts'
import { findCopy, playableCopy } from './playback.ts'
import { readPlayback } from './playback-schema.ts'
import { findAudio } from '../recordings/service.ts'
import { recordingMessages } from '../recordings/messages.ts'
import { httpMessages } from '../../platform/http/messages.ts'

export const playbackRoutes: Route[] = [
  route(readPlayback, async ({ ctx, core, actor, id }: Call<typeof readPlayback, CallsCore>) => {
    const audio = await findAudio(core, actor, id)
    const name = (audio.fileName ?? id).slice(0, -extname(audio.fileName ?? '').length || undefined)
    const ending = await nativeSound(core.storage, audio.storageKey, audio.durationSeconds).catch(asGone)
    if (ending) return sendFile(ctx, core.storage, audio.storageKey, name + ending)
    await sendCopy(ctx, core, { id: id.toLowerCase(), ...audio }, `${name}.wav`)
  }),
]

type PlayedAudio = Awaited<ReturnType<typeof findAudio>> & { id: string }

async function sendCopy(ctx: Context, core: CallsCore, audio: PlayedAudio, name: string): Promise<void> {
  // Whoever asks only what there is does not make it.
  const stored = ctx.method === 'HEAD' ? await findCopy(core, audio.id) : undefined
  if (ctx.method === 'HEAD' && !stored) {
    ctx.status = 200
    ctx.type = 'audio/wav'
    return
  }
  const copy = stored ? { storageKey: stored } : await playableCopy(core, audio)
  if ('growing' in copy && copy.growing.totalBytes !== undefined) return sendGrowing(ctx, copy.growing, name)
  // Without its length no position of the audio can be found: then it is sent once it is whole.
  if ('growing' in copy) await copy.stored.catch(() => undefined)
  const key = 'growing' in copy ? await findCopy(core, audio.id) : copy.storageKey
  if (key === undefined) throw new HttpError(503, recordingMessages.playableLater(), { 'Retry-After': '10' })
  await sendFile(ctx, core.storage, key, name)
}

function asGone(error: unknown): never {
  throw error instanceof ObjectMissing ? notFound(httpMessages.noSound()) : error
}
