import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { newId } from '../lib/ids.ts'
import { writeAll } from './durable-file.ts'

const BLOCK_BYTES = 256 * 1024

/**
 * Gathers a stream on the disk and hands it on once it is whole. The file has no name any more while it fills: even a
 * crash leaves nothing of it.
 */
export async function withFileOf<T>(content: Readable, work: (whole: Readable) => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `svc-upload-${process.pid}-${newId()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    let size = 0
    // The sender's stream must survive a full disk: the connection still has to carry the answer.
    for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await writeAll(file, chunk, size)
      size += chunk.length
    }
    return await work(Readable.from(blocksOf(file), { objectMode: false }))
  } finally {
    await file.close()
  }
}

async function* blocksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(BLOCK_BYTES), 0, BLOCK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
