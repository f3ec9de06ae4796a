import { open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { generateId } from '../lib/ids.ts'

const BUFFER_BYTES = 256 * 1024

/** Writes a stream to an unlinked temporary file and calls `use` with its content and size. A crash leaves no file. */
export async function spoolToDisk<T>(
  content: Readable,
  use: (spooled: Readable, size: number) => Promise<T>,
): Promise<T> {
  const path = join(tmpdir(), `svc-upload-${process.pid}-${generateId()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    // If the disk is full, keep the sender's stream open, because its connection still carries the response.
    await writeFile(file, content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    const { size } = await file.stat()
    return await use(file.createReadStream({ start: 0, autoClose: false, highWaterMark: BUFFER_BYTES }), size)
  } finally {
    await file.close()
  }
}
