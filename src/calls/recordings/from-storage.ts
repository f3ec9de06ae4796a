import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequest, tooLarge } from '../../platform/errors.ts'
import { findAudioFile, withStoredAudio } from './audio-files.ts'
import type { Source } from './entity.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { createRecording, refuseRegistered } from './create.ts'
import { recordingMessages } from './messages.ts'
import { formMessages } from '../../platform/http/messages.ts'

/**
 * Registers a call whose audio lies in the storage already.
 * @throws HttpError 400 for a forbidden callbackUrl or an empty file, 404 without such a file, 409, 413
 */
export async function registerStored(
  core: Core,
  actor: Actor,
  storageKey: string,
  fields: CallFields,
  source: Source,
): Promise<RecordingJson> {
  return withStoredAudio(core, await findAudioFile(core, storageKey), async (audio) => {
    await refuseRegistered(core, actor, storageKey, fields.externalCallId)
    if (audio.sizeBytes === 0) throw badRequest([recordingMessages.emptyFile().about('storageKey')])
    const limitMb = core.config.MAX_UPLOAD_MB
    if (audio.sizeBytes > limitMb * 1024 * 1024) throw tooLarge(formMessages.tooLarge({ limit: limitMb }))
    return createRecording(core, actor, audio, fields, source)
  })
}
