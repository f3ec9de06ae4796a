import type { Core } from '../core.ts'
import { badRequest, HttpError, tooLarge } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { DownloadFailed, DownloadTooLarge, openDownload } from '../outbound/download.ts'
import { storeAudio } from './audio-files.ts'
import { discardFile } from './removals.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { createRecording, refuseRegistered, type StoredAudio } from './service.ts'

/**
 * Downloads a call's audio into the storage and registers it. Whatever goes wrong, and also when the caller goes away,
 * nothing that was stored stays.
 * @throws HttpError 400 naming url first and the reason, 409, 413
 */
export async function downloadRecording(
  core: Core,
  actor: Actor,
  url: string,
  fields: CallFields,
  wanted: AbortSignal,
): Promise<RecordingJson> {
  await refuseRegistered(core, actor, undefined, fields.externalCallId)
  const audio = await fetchAudio(core, url, wanted)
  try {
    if (audio.sizeBytes === 0) throw badRequest(['url must not lead to an empty file'])
    if (wanted.aborted) throw badRequest('The caller went away')
    return await createRecording(core, actor, audio, fields, 'url')
  } catch (error) {
    // Of a refusal it is certain that no row needs the file; of a broken connection to the database it is not.
    if (error instanceof HttpError) await discardFile(core, audio.storageKey)
    throw error
  }
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
    if (error instanceof DownloadTooLarge) throw tooLarge(`The file is larger than ${limitMb} MB`)
    if (error instanceof DownloadFailed) throw badRequest([`url ${error.message}`])
    throw error
  }
}
