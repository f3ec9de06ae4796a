import { SYSTEM_ACTOR } from '../../platform/http/actor.ts'
import { extname } from 'node:path'
import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import { countRejectedIngestionFile } from '../../platform/lib/metrics.ts'
import type { Message } from '../../platform/lib/messages.ts'
import type { StepPage, Step, StepRun } from '../../platform/queue/steps.ts'
import { registerStoredAudio } from '../recordings/sources.ts'
import { StorageUnavailableError, type ListedStorageObject } from '../../platform/storage/storage.ts'
import { InvalidSidecarError, readSidecarCallFields, joinErrorMessages } from './call-fields.ts'
import {
  finishIngestionRun,
  deleteIngestionFile,
  resolveIngestionSource,
  isIngestionPaused,
  recordIngestionFileError,
  recordScannedIngestionFiles,
  type IngestionCounts,
  type DueIngestionFile,
} from './service.ts'
import { ingestionMessages } from './messages.ts'

/**
 * The step that registers the files of the ingestion source as calls. A storage lists its files in no order, so each run starts
 * from the beginning.
 */
export const ingestionStep: Step<IngestionCounts> = {
  name: 'ingestion',
  table: 'ingestion_runs',
  keyOf(config) {
    const ingestionSource = resolveIngestionSource(config)
    return ingestionSource && { source: ingestionSource.source, prefix: ingestionSource.prefix }
  },
  intervalSeconds: 10,
  leaseSeconds: 120,
  isReady: async (core) => (await core.ownership.state()) === 'ours' && !(await isIngestionPaused(core)),
  pages: ingestFiles,
  end: finishIngestionRun,
  reasonOf: (error) => (error instanceof StorageUnavailableError ? error.reason : ingestionMessages.notListed()),
}

/** Extensions of audio files. The step ignores all other files. */
const AUDIO_EXTENSION =
  /^\.(wav|wave|w64|aiff?|au|caf|mp3|mp2|ogg|oga|opus|spx|flac|mov|mp4|m4a|mka|mkv|webm|aac|amr|gsm|3gp|g729|g722)$/i

const FILES_PER_PAGE = 200

/** Registers the complete files that are due for an attempt, page by page. */
async function* ingestFiles(core: Core, run: StepRun<IngestionCounts>): AsyncGenerator<StepPage<IngestionCounts>> {
  const { folder } = resolveIngestionSource(core.config)!
  const counts = { found: 0, registered: 0 }
  for await (const page of groupIntoPages(filterAudioFiles(core.storage.list(folder)))) {
    await run.renewLease()
    const { known, due } = await recordScannedIngestionFiles(core, run.token, page)
    counts.found += page.length
    counts.registered += known
    // A pause does not end the run, because the run also counts the files.
    const filesToRegister = (await isIngestionPaused(core)) ? [] : due
    for (const file of filesToRegister) {
      await run.renewLease()
      if (await registerFile(core, file)) counts.registered++
    }
    yield { cursor: counts }
  }
}

async function* filterAudioFiles(objects: AsyncIterable<ListedStorageObject>): AsyncIterable<ListedStorageObject> {
  for await (const object of objects) if (AUDIO_EXTENSION.test(extname(object.key))) yield object
}

async function* groupIntoPages<T>(items: AsyncIterable<T>): AsyncIterable<T[]> {
  let page: T[] = []
  for await (const item of items) {
    if (page.push(item) < FILES_PER_PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/**
 * Registers a file as a call. Records the reason if that fails.
 * @returns true if the file is a call now
 * @throws StorageUnavailableError if the storage fails
 */
async function registerFile(core: Core, { key, fault: lastError }: DueIngestionFile): Promise<boolean> {
  try {
    const fields = await readSidecarCallFields(core, key)
    const { id } = await registerStoredAudio(core, SYSTEM_ACTOR, key, fields, 'inbox')
    await deleteIngestionFile(core, key)
    core.log.info({ recordingId: id, storageKey: key }, 'ingested')
    return true
  } catch (error) {
    if (error instanceof StorageUnavailableError) throw error
    const reason = formatRejection(error)
    const reasonText = reason.text
    // Log each reason once, not in every attempt.
    if (reasonText !== lastError) {
      core.log.warn({ storageKey: key, fault: reasonText }, 'a file could not be ingested')
      countRejectedIngestionFile()
    }
    if (reason.id === ingestionMessages.broken().id)
      core.log.error({ storageKey: key, err: error }, 'the ingestion failed unexpectedly')
    await recordIngestionFileError(core, key, reason)
    return false
  }
}

function formatRejection(error: unknown): Message {
  if (error instanceof InvalidSidecarError) return error.reason
  return error instanceof HttpError ? joinErrorMessages(error) : ingestionMessages.broken()
}
