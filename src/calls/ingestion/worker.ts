import { SYSTEM } from '../../platform/http/actor.ts'
import { extname } from 'node:path'
import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import { countRefusedFile } from '../../platform/lib/metrics.ts'
import type { Message } from '../../platform/lib/messages.ts'
import type { Page, StepRun } from '../../platform/queue/steps.ts'
import { registerStored } from '../recordings/from-storage.ts'
import { StorageUnavailable, type ListedObject } from '../../platform/storage/index.ts'
import { FileViolation, readCallFields, reasonOfRefusal } from './call-fields.ts'
import {
  forgetFile,
  ingestionSourceOf,
  isIngestionPaused,
  recordFileError,
  seeFiles,
  type Counts,
  type DueFile,
} from './service.ts'
import { ingestionMessages } from './messages.ts'

/** Endings of audio files; anything else under the prefix is none of ours. */
const AUDIO =
  /^\.(wav|wave|w64|aiff?|au|caf|mp3|mp2|ogg|oga|opus|spx|flac|mov|mp4|m4a|mka|mkv|webm|aac|amr|gsm|3gp|g729|g722)$/i

/** Files that are looked at together; no more of a folder is ever in memory. */
const PAGE_FILES = 200

/** Registers what has stopped growing since the last look at the prefix. */
export async function* takeIn(core: Core, run: StepRun<Counts>): AsyncGenerator<Page<Counts>> {
  const { folder } = ingestionSourceOf(core.config)!
  const counts = { found: 0, registered: 0 }
  for await (const page of inPages(audioOf(core.storage.list(folder)))) {
    await run.keep()
    const { known, due } = await seeFiles(core, run.token, page)
    counts.found += page.length
    counts.registered += known
    // A pause does not break the run off: what lies there is counted all the same.
    const turn = (await isIngestionPaused(core)) ? [] : due
    for (const file of turn) {
      await run.keep()
      if (await registerFile(core, file)) counts.registered++
    }
    yield { cursor: counts }
  }
}

async function* audioOf(objects: AsyncIterable<ListedObject>): AsyncIterable<ListedObject> {
  for await (const object of objects) if (AUDIO.test(extname(object.key))) yield object
}

async function* inPages<T>(items: AsyncIterable<T>): AsyncIterable<T[]> {
  let page: T[] = []
  for await (const item of items) {
    if (page.push(item) < PAGE_FILES) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** @returns whether it is a recording now */
async function registerFile(core: Core, { key, fault: lastError }: DueFile): Promise<boolean> {
  try {
    const fields = await readCallFields(core, key)
    const { id } = await registerStored(core, SYSTEM, key, fields, 'inbox')
    await forgetFile(core, key)
    core.log.info({ recordingId: id, storageKey: key }, 'taken in')
    return true
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    const reason = reasonOf(error)
    const said = reason.text
    // Log once for each reason, not at every attempt.
    if (said !== lastError) {
      core.log.warn({ storageKey: key, fault: said }, 'a file could not be ingested')
      countRefusedFile()
    }
    if (reason.id === ingestionMessages.broken().id)
      core.log.error({ storageKey: key, err: error }, 'the ingestion broke')
    await recordFileError(core, key, reason)
    return false
  }
}

function reasonOf(error: unknown): Message {
  if (error instanceof FileViolation) return error.reason
  return error instanceof HttpError ? reasonOfRefusal(error) : ingestionMessages.broken()
}
