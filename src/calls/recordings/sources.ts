import type { Core } from '../../platform/core.ts'
import { badRequestError, payloadTooLargeError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { formMessages } from '../../platform/http/messages.ts'
import { DownloadError, DownloadTooLargeError, openDownload } from '../../platform/outbound/download.ts'
import { requireForeignAudio, storeAudio, withStoredAudio, type StoredAudio } from './audio-files.ts'
import { addSubmitterAsManager } from './call-manager.ts'
import { createRecording, rejectRegisteredRecording } from './create.ts'
import type { CallSource } from './entity.ts'
import { recordingMessages } from './messages.ts'
import type { CallFields, RecordingJson } from './schema.ts'

/**
 * Downloads the audio of a call and registers the call. Removes the file if the call is rejected, the client disconnects, or the
 * caller loses access during the download.
 * @throws HttpError 400 for a rejected link or field, 401 or 403 for lost access
 * @throws HttpError 409 for a known call, 413 for a large file
 */
export async function downloadRecording(
  core: Core,
  { actor, reauthorise }: { actor: Actor; reauthorise: () => Promise<Actor> },
  url: string,
  fields: CallFields,
  callerSignal: AbortSignal,
): Promise<RecordingJson> {
  await addSubmitterAsManager(core, actor, fields)
  await rejectRegisteredRecording(core, actor, undefined, fields.externalCallId)
  return withStoredAudio(core, await fetchAudio(core, url, callerSignal), async (audio) => {
    if (audio.sizeBytes === 0) throw badRequestError([recordingMessages.emptyFile().withField('url')])
    if (callerSignal.aborted) throw badRequestError(recordingMessages.callerGone())
    const current = await reauthorise()
    return createRecording(core, current, audio, await addSubmitterAsManager(core, current, fields), 'url')
  })
}

async function fetchAudio(core: Core, url: string, callerSignal: AbortSignal): Promise<StoredAudio> {
  const { ALLOW_PRIVATE_NETWORK_DOWNLOADS: allowPrivate, MAX_UPLOAD_MB: limitMb } = core.config
  try {
    const download = await openDownload(url, {
      allowPrivate,
      maxBytes: limitMb * 1024 * 1024,
      signal: callerSignal,
    })
    try {
      return await storeAudio(core, download.body, download.fileName)
    } finally {
      await download.close()
    }
  } catch (error) {
    if (error instanceof DownloadTooLargeError) throw payloadTooLargeError(formMessages.tooLarge({ limit: limitMb }))
    if (error instanceof DownloadError) throw badRequestError([error.reason.withField('url')])
    throw error
  }
}

/**
 * Registers a call whose audio another program has stored.
 * @throws HttpError 400 for a forbidden callbackUrl or an empty file, 404 for a missing file
 * @throws HttpError 409 for a known call or a file that still grows, 413 for a large file
 */
export async function registerStoredAudio(
  core: Core,
  actor: Actor,
  storageKey: string,
  fields: CallFields,
  source: CallSource,
): Promise<RecordingJson> {
  return withStoredAudio(core, await requireForeignAudio(core, storageKey), async (audio) => {
    await rejectRegisteredRecording(core, actor, storageKey, fields.externalCallId)
    if (audio.sizeBytes === 0) throw badRequestError([recordingMessages.emptyFile().withField('storageKey')])
    const limitMb = core.config.MAX_UPLOAD_MB
    if (audio.sizeBytes > limitMb * 1024 * 1024) throw payloadTooLargeError(formMessages.tooLarge({ limit: limitMb }))
    return createRecording(core, actor, audio, fields, source)
  })
}
