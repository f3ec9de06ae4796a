import { basename } from 'node:path'
import type { Logger } from '../../platform/lib/log.ts'
import { ModelsFolderError } from './disk.ts'
import {
  hubConnectionError,
  ModelHubError,
  type HubFileMetadata,
  type ModelHubClient,
  type HubFileResponse,
} from './hub.ts'
import { PartialDownloadFile, type PartialDownloadOrigin } from './partial-file.ts'
import { retryHubFailures, type DownloadRetryPolicy } from './retry-policy.ts'
import { DownloadProgressLogger } from './progress.ts'

class DamagedError extends Error {}

/** A model file to download, with the hub's metadata and a check for the result. */
export interface ModelDownloadTask {
  /** Path of the file. Its base name is the name at the hub. */
  target: string
  /** Size and checksum, as far as the hub has sent them. */
  facts: HubFileMetadata
  /** @throws Error if the file at `path` is of the wrong kind */
  check: (path: string) => Promise<void>
}

/**
 * Downloads a file or the missing rest of it, and checks it. After an interruption, keeps the partial file for the next start.
 * @throws ModelHubError, ModelsFolderError, or the error of `check`
 */
export async function downloadModelFile(
  hub: ModelHubClient,
  task: ModelDownloadTask,
  retryPolicy: DownloadRetryPolicy,
  log: Logger,
): Promise<void> {
  const name = basename(task.target)
  const part = await PartialDownloadFile.load(task.target)
  try {
    const { sha256 } = await fetchVerified(hub, task, part, retryPolicy, log)
    // A correct checksum already proves the content.
    if (sha256 === undefined) await checkKind(part, task)
    await part.finish()
  } catch (error) {
    throw isDiskError(error) ? new ModelsFolderError(task.target, part.size, error) : error
  } finally {
    await part.close()
  }
  log.info({ file: name, bytes: part.size }, 'model file complete')
}

/**
 * Downloads until size and checksum are correct, at most twice.
 * @returns size and checksum, as far as the hub sent them
 */
async function fetchVerified(
  hub: ModelHubClient,
  task: ModelDownloadTask,
  part: PartialDownloadFile,
  retryPolicy: DownloadRetryPolicy,
  log: Logger,
): Promise<HubFileMetadata> {
  const name = basename(task.target)
  const progress = new DownloadProgressLogger(name, retryPolicy.progressMs, log)
  for (let damaged = 0; ; damaged++) {
    const attempt = () => fetchRemaining(hub, name, part, task.facts, progress)
    const facts = await retryHubFailures(retryPolicy, log, attempt, () => part.size)
    try {
      await verifyPart(part, name, hub.host, facts)
      return facts
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      await part.drop()
      if (damaged === 1) throw new ModelHubError(`${error.message} It was fetched twice.`)
      log.warn({ file: name, reason: error.message }, 'the downloaded file is damaged; downloading it again')
    }
  }
}

/**
 * Requests the missing bytes and appends them to the partial file. Restarts if the hub has other content than the partial file.
 * @returns size and checksum of the whole file, as far as known
 */
async function fetchRemaining(
  hub: ModelHubClient,
  name: string,
  part: PartialDownloadFile,
  known: HubFileMetadata,
  progress: DownloadProgressLogger,
): Promise<HubFileMetadata> {
  const { origin, size: from } = part
  const resuming = from > 0 && canResume(origin, known)
  if (resuming && from === (known.size ?? origin.size)) return mergeMetadata(known, origin)
  const certain = known.sha256 !== undefined && known.sha256 === origin.sha256
  // Compare checksums if possible. ETags can differ between servers of one content network.
  const opened = await hub.open(name, resuming ? { from, etag: certain ? undefined : origin.etag } : undefined)
  try {
    const facts = mergeMetadata(known, opened.facts)
    if (resuming && opened.from !== 0 && !(opened.from === from && hasSameContent(origin, opened))) {
      await part.drop()
      return await fetchRemaining(hub, name, part, facts, progress)
    }
    if (opened.from !== 0 && !resuming)
      throw new ModelHubError(`${hub.host} sends a part of ${name} that was not asked for.`)
    if (opened.from === 0) await part.restart({ ...facts, ...(opened.etag ? { etag: opened.etag } : {}) })
    await appendBody(opened, hub.host, name, part, facts, progress)
    return facts
  } finally {
    opened.body.destroy()
  }
}

/** Returns true if the hub's file can have the same content as the partial file. */
function canResume(origin: PartialDownloadOrigin, known: HubFileMetadata): boolean {
  if (!areCompatible(origin.size, known.size)) return false
  if (origin.sha256 !== undefined) return areCompatible(origin.sha256, known.sha256)
  return origin.etag !== undefined
}

/** Returns true if size, checksum and ETag show that the response continues the partial file. */
function hasSameContent(origin: PartialDownloadOrigin, { facts, etag }: HubFileResponse): boolean {
  if (!areCompatible(origin.size, facts.size) || !areCompatible(origin.sha256, facts.sha256)) return false
  return (origin.sha256 !== undefined && facts.sha256 !== undefined) || areCompatible(origin.etag, etag)
}

/** Earlier values win, because a proxy can add a different length later. */
const mergeMetadata = (first: HubFileMetadata, then: HubFileMetadata): HubFileMetadata => ({
  size: first.size ?? then.size,
  sha256: first.sha256 ?? then.sha256,
})

const areCompatible = <T>(a: T | undefined, b: T | undefined) => a === undefined || b === undefined || a === b

async function appendBody(
  { body }: HubFileResponse,
  host: string,
  name: string,
  part: PartialDownloadFile,
  { size }: HubFileMetadata,
  progress: DownloadProgressLogger,
): Promise<void> {
  progress.begin(part.size, size)
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  for (;;) {
    const chunk = await chunks.next().catch((error) => {
      throw hubConnectionError(host, name, error)
    })
    if (chunk.done) break
    await part.append(chunk.value)
    progress.update(part.size)
  }
  if (size !== undefined && part.size < size)
    throw hubConnectionError(host, name, new Error('it ended before the end of the file'))
}

async function verifyPart(
  part: PartialDownloadFile,
  name: string,
  host: string,
  { size, sha256 }: HubFileMetadata,
): Promise<void> {
  if (size !== undefined && part.size !== size) {
    throw new DamagedError(`${name} from ${host} has ${part.size} bytes; it should have ${size}.`)
  }
  if (sha256 === undefined) return
  const found = await part.sha256()
  if (found !== sha256) {
    throw new DamagedError(`${name} from ${host} is damaged: its SHA-256 is ${found}; it should be ${sha256}.`)
  }
}

/**
 * Checks the kind of a file. Deletes a file of the wrong kind, because a later start would continue with it.
 * @throws the error of `check`
 */
async function checkKind(part: PartialDownloadFile, { check }: ModelDownloadTask): Promise<void> {
  try {
    await check(part.path)
  } catch (error) {
    await part.drop()
    throw error
  }
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}
