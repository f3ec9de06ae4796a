import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '../lib/ids.ts'

/**
 * Gathers a stream on the disk and hands it on once it is whole. The file has no name any more while it fills: even a
 * crash leaves nothing of it.
 */
export async function withFileOf<T>(content: Readable, work: (whole: Readable) => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `svc-upload-${newId()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    // The sender's stream must survive a full disk: the connection still has to carry the answer.
    const chunks = content.iterator({ destroyOnReturn: false })
    await pipeline(chunks, file.createWriteStream({ autoClose: false }))
    return await work(file.createReadStream({ start: 0, autoClose: false }))
  } finally {
    await file.close()
  }
}
