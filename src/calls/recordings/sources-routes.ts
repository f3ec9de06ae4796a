import type { Context } from 'koa'
import { notFound } from '../../platform/errors.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { whileWaitedFor } from '../../platform/http/waiting.ts'
import { recordingMessages } from './messages.ts'
import { seesAll } from '../../people/managers/visibility.ts'
import { downloadRecording } from './from-url.ts'
import { registerStored } from './from-storage.ts'
import { givenFields, type RecordingJson } from './schema.ts'
import { createFromStorage, createFromUrl } from './sources-schema.ts'

export const sourceRoutes: Route[] = [
  route(createFromUrl, async ({ ctx, core, actor, reauthorise, body }) => {
    const { url, ...given } = body
    const caller = { actor, reauthorise }
    answerCreated(ctx, await downloadRecording(core, caller, url, givenFields(given), whileWaitedFor(ctx)))
  }),

  route(createFromStorage, async ({ ctx, core, actor, body }) => {
    const { storageKey, ...fields } = body
    // What no call has is nobody's: whoever named it could hear it and delete it, and the answer told what there is.
    if (!seesAll(actor)) throw notFound(recordingMessages.noFile())
    answerCreated(ctx, await registerStored(core, actor, storageKey, givenFields(fields), 'storage'))
  }),
]

function answerCreated(ctx: Context, recording: RecordingJson): void {
  ctx.status = 201
  ctx.set('Location', `/v1/recordings/${recording.id}`)
  ctx.body = recording
}
