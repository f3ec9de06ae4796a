import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequest, tooLarge } from '../../platform/errors.ts'
import { DownloadFailed, DownloadTooLarge, openDownload } from '../../platform/outbound/download.ts'
import { withDefaultManager } from './call-manager.ts'
import { storeAudio, withStoredAudio, type StoredAudio } from './audio-files.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { createRecording, refuseRegistered } from './create.ts'
import { recordingMessages } from './messages.ts'
import { formMessages } from '../../platform/http/messages.ts'

/**
 * Downloads a call's audio into the storage and registers it. Whatever goes wrong, and also when the caller goes away,
 * nothing that was stored stays. A caller who lost access during the download is refused.
 * @throws HttpError 400 naming url first and the reason, 401, 403, 409, 413
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
      ledger: (entry) => core.log.debug(entry, 'sent'),
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
