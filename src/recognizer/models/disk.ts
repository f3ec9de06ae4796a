import { statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isOutOfSpaceError } from '../../platform/lib/out-of-space.ts'

/** Thrown if a file cannot be written to the models folder. The message is for operators. */
export class ModelsFolderError extends Error {
  constructor(target: string, partialBytes: number, cause: NodeJS.ErrnoException) {
    const name = basename(target)
    super(
      isOutOfSpaceError(cause)
        ? `No space left in ${dirname(target)} while fetching ${name}. The ${formatBytes(partialBytes)} that are there are kept: free some space and start again.`
        : `Cannot write ${name} into ${dirname(target)}: ${cause.message}.`,
      { cause },
    )
  }
}

/** Formats a number of bytes in GB, or in MB below 0.1 GB. */
export function formatBytes(bytes: number): string {
  const [value, unit] = bytes < 1e8 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB']
  return `${value.toFixed(1)} ${unit}`
}

/**
 * Checks the free space of a folder.
 * @param needed bytes
 * @param advice sentences to append to the message
 * @throws Error with the missing space
 */
export async function requireFreeDiskSpace(folder: string, needed: number, advice: string[]): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= needed) return
  throw new Error(
    `The models need ${formatBytes(needed)} in ${folder}, and ${formatBytes(free)} are free there: ` +
      `${formatBytes(needed - free)} are missing. ${['Free some space and start again.', ...advice].join(' ')}`,
  )
}
