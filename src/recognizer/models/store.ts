import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { ModelsFolderError, requireFreeDiskSpace } from './disk.ts'
import { downloadModelFile, type ModelDownloadTask } from './download.ts'
import { ModelHubClient } from './hub.ts'
import { PartialDownloadFile } from './partial-file.ts'
import { DEFAULT_DOWNLOAD_RETRY_POLICY, retryHubFailures, type DownloadRetryPolicy } from './retry-policy.ts'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import koffi from 'koffi'

/** A model file that an engine needs. */
export interface ModelFile {
  /** File name at the hub and in the models folder. */
  name: string
  /** Bytes to require on the disk if the hub sends no size. */
  roughSize: number
  /**
   * Checks a downloaded file for which the hub sent no checksum.
   * @throws Error if the file at `path` is of the wrong kind
   */
  check: (path: string) => Promise<void>
  /** Advice for operators if the disk has too little space. */
  advice?: string
}

/**
 * Downloads the files that the models folder lacks. Existing files are not checked. After an interruption, complete and partial
 * files are kept for the next start.
 * @throws ModelHubError, ModelsFolderError, the error of a `check`, or Error if the disk has too little space
 */
export async function downloadMissingModelFiles(
  { ASR_MODEL_HUB_URL, modelsDir }: Pick<Config, 'ASR_MODEL_HUB_URL' | 'modelsDir'>,
  files: ModelFile[],
  log: Logger,
  retryPolicy: DownloadRetryPolicy = DEFAULT_DOWNLOAD_RETRY_POLICY,
): Promise<void> {
  if ((await listMissingFiles(modelsDir, files)).length === 0) return
  await mkdir(modelsDir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ModelsFolderError(join(modelsDir, files[0]!.name), 0, error)
  })
  const unlock = await lockFolder(modelsDir, retryPolicy.lockMs, log)
  const hub = new ModelHubClient(ASR_MODEL_HUB_URL, retryPolicy.stallMs)
  try {
    // Check again, because another recognizer can have downloaded the files while we waited for the lock.
    const missing = await listMissingFiles(modelsDir, files)
    const tasks: ModelDownloadTask[] = []
    let needed = 0
    for (const { name, roughSize, check } of missing) {
      const facts = await retryHubFailures(retryPolicy, log, () => hub.fetchMetadata(name))
      const target = join(modelsDir, name)
      needed += (facts.size ?? roughSize) - (await PartialDownloadFile.load(target)).size
      tasks.push({ target, facts, check })
    }
    await requireFreeDiskSpace(
      modelsDir,
      needed,
      missing.flatMap(({ advice = [] }) => advice),
    )
    for (const task of tasks) await downloadModelFile(hub, task, retryPolicy, log)
  } finally {
    await hub.close()
    unlock()
  }
}

async function listMissingFiles(folder: string, files: ModelFile[]): Promise<ModelFile[]> {
  const present = await Promise.all(
    files.map(({ name }) => stat(join(folder, name)).then(Boolean, rethrowUnlessMissing)),
  )
  return files.filter((_, index) => !present[index])
}

function rethrowUnlessMissing(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOENT') throw error
  return false
}

const LOCK_EX = 2
const LOCK_NB = 4

/**
 * Locks a folder with flock. Waits while another process has the lock. If the file system has no locks, logs a warning.
 * @returns a function that unlocks; the end of this process unlocks too
 */
async function lockFolder(folder: string, pollMs: number, log: Logger): Promise<() => void> {
  const file = openSync(folder, 'r')
  const flock = koffi.load(null).func('int flock(int file, int operation)') as (
    file: number,
    operation: number,
  ) => number
  for (let waited = false; flock(file, LOCK_EX | LOCK_NB) !== 0; waited = true) {
    if (koffi.errno() !== constants.errno.EWOULDBLOCK) {
      // Some network file systems have no locks. A single recognizer, which is the usual case, needs none.
      log.warn(
        { folder, errno: koffi.errno() },
        'the models folder cannot be locked; only one recognizer may fetch into it',
      )
      break
    }
    if (!waited) log.info({ folder }, 'another recognizer is fetching the models; waiting for it')
    await pause(pollMs)
  }
  return () => closeSync(file)
}
