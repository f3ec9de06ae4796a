import type { Core } from '../../platform/core.ts'
import { badRequest, tooLarge } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { formMessages } from '../../platform/http/messages.ts'
import { DownloadFailed, DownloadTooLarge, openDownload } from '../../platform/outbound/download.ts'
import { findAudioFile, storeAudio, withStoredAudio, type StoredAudio } from './audio-files.ts'
import { withDefaultManager } from './call-manager.ts'
import { createRecording, refuseRegistered } from './create.ts'
import type { Source } from './entity.ts'
import { recordingMessages } from './messages.ts'
import type { CallFields, RecordingJson } from './schema.ts'

/**
 * Downloads the audio of a call and registers it. Nothing stays stored if anything fails, the client disconnects, or the
 * caller loses access during the download.
 * @throws HttpError 400 naming url and the reason, 401, 403, 409, 413
 */
export async function downloadRecording(
  core: Core,
  { actor, reauthorise }: { actor: Actor; reauthorise: () => Promise<Actor> },
  url: string,
  fields: CallFields,
  wanted: AbortSignal,
): Promise<RecordingJson> {
  await withDefaultManager(core, actor, fields)
  await refuseRegistered(core, actor, undefined, fields.externalCallId)
  return withStoredAudio(core, await fetchAudio(core, url, wanted), async (audio) => {
    if (audio.sizeBytes === 0) throw badRequest([recordingMessages.emptyFile().about('url')])
    if (wanted.aborted) throw badRequest(recordingMessages.callerGone())
    const current = await reauthorise()
    return createRecording(core, current, audio, await withDefaultManager(core, current, fields), 'url')
  })
}

async function fetchAudio(core: Core, url: string, wanted: AbortSignal): Promise<StoredAudio> {
  const { ALLOW_PRIVATE_NETWORK_DOWNLOADS: allowPrivate, MAX_UPLOAD_MB: limitMb } = core.config
  try {
    const download = await openDownload(url, {
      allowPrivate,
      maxBytes: limitMb * 1024 * 1024,
      signal: wanted,
    })
    try {
      return await storeAudio(core, download.body, download.fileName)
    } finally {
      await download.close()
    }
  } catch (error) {
    if (error instanceof DownloadTooLarge) throw tooLarge(formMessages.tooLarge({ limit: limitMb }))
    if (error instanceof DownloadFailed) throw badRequest([error.reason.about('url')])
    throw error
  }
}

/**
 * Registers a call whose audio is already in the storage.
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
