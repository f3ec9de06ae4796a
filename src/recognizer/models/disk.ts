import { statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isOutOfSpace } from '../../platform/lib/out-of-space.ts'

/** The models folder cannot take a file. The message is for operators. */
export class DiskError extends Error {
  constructor(target: string, partialBytes: number, cause: NodeJS.ErrnoException) {
    const name = basename(target)
    super(
      isOutOfSpace(cause)
        ? `No space left in ${dirname(target)} while fetching ${name}. The ${formatBytes(partialBytes)} that are there are kept: free some space and start again.`
        : `Cannot write ${name} into ${dirname(target)}: ${cause.message}.`,
      { cause },
    )
  }
}

/** A number of bytes for people: in GB, or in MB below a tenth of it. */
export function formatBytes(bytes: number): string {
  const [value, unit] = bytes < 1e8 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB']
  return `${value.toFixed(1)} ${unit}`
}

/** @throws Error saying how much space is missing, with `advice` */
export async function requireDiskSpace(folder: string, needed: number, advice: string[]): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= needed) return
  throw new Error(
    `The models need ${formatBytes(needed)} in ${folder}, and ${formatBytes(free)} are free there: ` +
      `${formatBytes(needed - free)} are missing. ${['Free some space and start again.', ...advice].join(' ')}`,
  )
}
